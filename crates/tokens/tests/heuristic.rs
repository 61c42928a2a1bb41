//! How far the heuristic is from o200k_base: the numbers that its documentation gives.

mod sample;

use tavernkit_tokens::{EmbeddedCounter, Encoding, HeuristicCounter, TokenCounter};

/// Mean and worst relative error over pieces of `size` characters.
fn errors(counter: &EmbeddedCounter, text: &str, size: usize) -> (f64, f64) {
    let chars: Vec<char> = text.chars().collect();
    let errors: Vec<f64> = chars
        .chunks_exact(size)
        .map(|piece| {
            let piece: String = piece.iter().collect();
            let exact = counter.count(&piece) as f64;
            (HeuristicCounter.count(&piece) as f64 - exact).abs() / exact
        })
        .collect();
    (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
}

#[test]
fn errors_are_as_documented() {
    let counter = EmbeddedCounter::new(Encoding::O200kBase);
    let (mean, worst) = errors(&counter, &sample::prose(200_000), 1_000);
    println!("mixed: mean {mean:.3}, worst {worst:.3}");
    assert!(mean < 0.035 && worst < 0.115, "mixed: mean {mean:.3}, worst {worst:.3}");
    let bars = [
        ("english", 0.045),
        ("chinese", 0.045),
        ("japanese", 0.05),
        ("korean", 0.035),
        ("russian", 0.025),
        ("european", 0.11),
        ("code", 0.085),
        ("emoji", 0.045),
        ("spaces", 0.25),
    ];
    for (script, (name, bar)) in sample::SCRIPTS.iter().zip(bars) {
        assert_eq!(script.name, name);
        let (mean, worst) = errors(&counter, &script.text(12_000), 300);
        println!("{name}: mean {mean:.3}, worst {worst:.3}");
        assert!(mean < bar, "{name}: mean {mean:.3}, worst {worst:.3}");
    }
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(HeuristicCounter.count(""), 0);
    assert_eq!(HeuristicCounter.count("a"), 1);
    assert_eq!(HeuristicCounter.count_up_to("a", 0), None);
}
