// Side by side with V8. `plan FILE [PART]` writes texts and patterns (those with PART in the name); `run FILE OURS` times V8
// on them and prints both.
// Adversarial jobs run in a worker that is stopped after LIMIT ms: V8 needs years for some.
import { readFileSync, writeFileSync } from 'node:fs';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const LIMIT = 1000;
const SIZE = 1 << 20;

// Invented prose, the same on every run.
function prose(size, extra) {
  const words = 'the lamp turned slowly over grey water while Ilse counted steps and listened for the door a dragon of brass kept watch on 42 shelves with 7 keys nobody remembered'.split(' ').concat(extra);
  let seed = 12345, out = '', line = 0;
  const next = n => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
  while (out.length < size) {
    let w = words[next(words.length)];
    const r = next(40);
    if (r === 0) w = `*${w} ${words[next(words.length)]}*`;
    else if (r === 1) w = `"${w} ${words[next(words.length)]},"`;
    else if (r === 2) w = w[0].toUpperCase() + w.slice(1);
    out += w;
    line += w.length + 1;
    if (line > 400) { out += '.\n\n'; line = 0; } else out += next(12) === 0 ? ', ' : ' ';
  }
  return out.slice(0, size);
}

const classes = [
  ['literal', 'dragon', 'g'],
  ['literal, rare', 'lighthouse keeper', 'g'],
  ['literal, i', 'dragon', 'gi'],
  ['word, i', '\\bdragon\\b', 'gi'],
  ['alternation', 'dragon|lamp|door|keys', 'g'],
  ['alternation, i', '\\b(?:dragon|lamp|door|keys)\\b', 'gi'],
  ['\\w+', '\\w+', 'g'],
  ['\\d+', '\\d+', 'g'],
  ['[a-z]+', '[a-z]+', 'g'],
  ['capital words', '[A-Z][a-z]+', 'g'],
  ['emphasis', '\\*([^*]+)\\*', 'g'],
  ['quotes', '"([^"]*)"', 'g'],
  ['two words', '(\\w+)\\s+(\\w+)', 'g'],
  ['line ends', '\\s+$', 'gm'],
  ['blank lines', '\\n{2,}', 'g'],
  ['any .*', '.*dragon.*', 'g'],
  ['tags', '<[^>]+>', 'g'],
  ['think', '<think>[\\s\\S]*?<\\/think>', 'g'],
  ['class run', '[^\\s,.]+[,.]', 'g'],
  ['lookahead', '\\w+(?=,)', 'g'],
  ['lookbehind', '(?<=\\s)\\w+', 'g'],
  ['backreference', '(\\w)\\1', 'g'],
];

function plan(part = '') {
  const texts = { prose: prose(SIZE, []), mixed: prose(SIZE, ['灯台', 'café', 'naïve', '“quoted”', '—', '龙', 'der Müller']) };
  const jobs = [];
  for (const text of Object.keys(texts))
    for (const [name, pattern, flags] of classes)
      for (const kind of ['count', 'replace'])
        jobs.push({ name: `${text}/${kind}/${name}`, kind, pattern, flags, text, replacement: '[$&]' });
  const cases = JSON.parse(readFileSync(new URL('../conformance/js/regex-adversarial.json', import.meta.url))).cases;
  for (const c of cases) jobs.push({ name: `adversarial/${c.id}`, kind: 'adversarial', pattern: c.pattern, flags: c.flags, text: c.text, budget_ms: 20 });
  return { texts, jobs: jobs.filter(job => job.name.includes(part)) };
}

function once(job, text) {
  const re = new RegExp(job.pattern, job.flags);
  if (job.kind === 'replace') return text.replace(re, job.replacement).length;
  if (job.kind === 'count') { let n = 0; re.lastIndex = 0; while (true) { const m = re.exec(text); if (!m) break; n++; if (m[0] === '') re.lastIndex++; } return n; }
  return job.flags.includes('g') ? (text.match(re) ?? []).length : +re.test(text);
}

if (!isMainThread) {
  const { job, text } = workerData;
  once(job, '');
  parentPort.postMessage('start');
  const start = process.hrtime.bigint();
  once(job, text);
  parentPort.postMessage(Number(process.hrtime.bigint() - start));
} else if (process.argv[2] === 'plan') {
  writeFileSync(process.argv[3], JSON.stringify(plan(process.argv[4])));
} else {
  const { texts, jobs } = JSON.parse(readFileSync(process.argv[3]));
  const ours = new Map(JSON.parse(readFileSync(process.argv[4])).map(r => [r.name, r]));
  const bad = [];
  let worst = Infinity, adversarial = [];
  for (const job of jobs) {
    const mine = ours.get(job.name), text = texts[job.text] ?? job.text;
    if (job.kind !== 'adversarial') {
      let best = Infinity, result;
      const begin = performance.now();
      for (let i = 0; i < 5 || performance.now() - begin < 300; i++) {
        const start = process.hrtime.bigint();
        result = once(job, text);
        best = Math.min(best, Number(process.hrtime.bigint() - start));
      }
      const bytes = Buffer.byteLength(text), ratio = best / mine.ns;
      worst = Math.min(worst, ratio);
      const same = job.kind === 'replace' ? '' : result === mine.result ? '' : `  DIFFERENT: ${mine.result} ours, ${result} V8`;
      console.log(`${job.name.padEnd(34)} ours ${(bytes / mine.ns * 1000).toFixed(0).padStart(6)} MB/s   V8 ${(bytes / best * 1000).toFixed(0).padStart(6)} MB/s   ${ratio.toFixed(2).padStart(7)}x${ratio < 0.5 ? '  BELOW HALF' : ''}${same}`);
      if (ratio < 0.5 || same) bad.push(job.name);
    } else {
      const v8 = await new Promise(done => {
        const w = new Worker(fileURLToPath(import.meta.url), { workerData: { job, text } });
        let timer;
        w.on('message', m => {
          if (m === 'start') timer = setTimeout(() => { w.terminate(); done(null); }, LIMIT);
          else { clearTimeout(timer); done(m); }
        });
      });
      adversarial.push([job.name, mine, v8]);
    }
  }
  let sumOurs = 0, sumV8 = 0;
  for (const [name, mine, v8] of adversarial) {
    sumOurs += mine.ns; sumV8 += v8 ?? LIMIT * 1e6;
    console.log(`${name.padEnd(44)} ours ${(mine.ns / 1e6).toFixed(3).padStart(9)} ms (${mine.result})   V8 ${v8 ? (v8 / 1e6).toFixed(3) : `over ${LIMIT}`} ms${mine.ns > 1e7 ? '  OVER 10 ms' : ''}`);
    if (mine.ns > 1e7) bad.push(name);
  }
  console.log(`\nlowest throughput against V8: ${worst.toFixed(2)}x`);
  console.log(`adversarial set: ours ${(sumOurs / 1e6).toFixed(1)} ms, V8 at least ${(sumV8 / 1e6).toFixed(0)} ms: ${(sumV8 / sumOurs).toFixed(0)}x`);
  console.log(bad.length ? `missed: ${bad.join(', ')}` : 'all bars met');
  process.exitCode = bad.length ? 1 : 0;
}
