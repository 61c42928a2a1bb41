//! Many builds in a row, without anybody watching: `scripts/bench-instrument.sh` counts the instructions.

use tavernkit_core::{BuildScope, Exactness, Message, Role, SeededRandom, TokenCounter};
use tavernkit_vibetavern::{Input, build};

struct Bytes;

impl TokenCounter for Bytes {
    fn id(&self) -> &str {
        "bytes"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Estimate
    }

    fn count(&self, text: &str) -> usize {
        text.len()
    }
}

fn main() -> tavernkit_core::Result<()> {
    let history: Vec<Message> = (0..200).map(|i| Message::new(Role::User, format!("message {i}"))).collect();
    let mut blocks = 0;
    for seed in 0..200 {
        let mut random = SeededRandom::new(seed);
        let mut scope = BuildScope::new(&Bytes, &mut random);
        let input = Input::new().history(history.iter().cloned()).message("What now?");
        blocks += build(input, &mut scope)?.plan.blocks.len();
    }
    println!("{blocks} blocks");
    Ok(())
}
