// Run by bench-tokens.sh: node bench.mjs TEXT_FILE OUR_BINARY
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get_encoding } from 'tiktoken';

const BAR = 5;
const [file, binary] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const megabytes = Buffer.byteLength(text) / 1e6;

function theirs(encoding) {
    const tokenizer = get_encoding(encoding);
    const tokens = tokenizer.encode_ordinary(text).length;
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
        const start = performance.now();
        tokenizer.encode_ordinary(text);
        best = Math.min(best, (performance.now() - start) / 1000);
    }
    tokenizer.free();
    return { tokens, seconds: best };
}

const speed = ({ seconds }) => `${(megabytes / seconds).toFixed(1)} MB/s`.padStart(11);
let failed = false;
// Ours before and after theirs, so that a change of the machine's load shows.
const rounds = [JSON.parse(execFileSync(binary, [file]))];
const npm = Object.fromEntries(Object.keys(rounds[0]).map((encoding) => [encoding, theirs(encoding)]));
rounds.push(JSON.parse(execFileSync(binary, [file])));

console.log(`${megabytes.toFixed(2)} MB mixed text`);
for (const [encoding, other] of Object.entries(npm)) {
    // The worse of our two rounds counts.
    const own = rounds.map((round) => round[encoding]).reduce((a, b) => (a.seconds > b.seconds ? a : b));
    const ratio = other.seconds / own.seconds;
    console.log(`${encoding.padEnd(12)} tavernkit ${speed(own)}  npm tiktoken ${speed(other)}  ratio ${ratio.toFixed(1)}`);
    if (own.tokens !== other.tokens) {
        console.error(`${encoding}: the counts differ: ${own.tokens} and ${other.tokens}`);
        failed = true;
    }
    if (ratio < BAR) {
        console.error(`${encoding}: the ratio is below ${BAR}`);
        failed = true;
    }
}
process.exit(failed ? 1 : 0);
