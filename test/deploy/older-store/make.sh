#!/bin/bash
# Makes `store`, `sandbox` and `ledger.backup` with the version of Dailies that is built in $DAILIES.
# Run it in a copy of this folder; FFMPEG names an ffmpeg.
set -eu
cd "$(dirname "$0")"
: "$DAILIES" "$FFMPEG"
export DAILIES_GATEWAY_URL=http://127.0.0.1:4917 DAILIES_GATEWAY_KEY=of-the-sandbox DAILIES_GATEWAY_ACCOUNT=sandbox
export DAILIES_STORE=store DAILIES_POLL_FLOOR_MS=500
unset TEMPORAL_ADDRESS

dailies() { node "$DAILIES/dist/scripts/dailies.js" "$@"; }
await() { until [ -e "$1" ]; do sleep 0.02; done; }
fault() {
  curl -sS -H "Authorization: Bearer $DAILIES_GATEWAY_KEY" -H 'content-type: application/json' \
    -d "{\"kind\":\"$1\",\"count\":1}" "$DAILIES_GATEWAY_URL/sandbox/faults"
}
gateway() {
  FFMPEG_PATH=$PWD/ffmpeg-small exec node "$DAILIES/dist/scripts/dailies.js" sandbox --folder sandbox --port 4917 \
    --key "$DAILIES_GATEWAY_KEY" >sandbox.log
}
render() { exec node "$DAILIES/dist/scripts/dailies.js" render storm.yaml --max-in-flight 1 --quiet; }
pids() {
  node -p 'const read = (file) => JSON.parse(require("fs").readFileSync(`store/embedded/${file}`, "utf8"));
    [read("lock/1").process, ...read("processes.json")].map(({ pid }) => pid).join(" ")'
}
up() { exec node "$DAILIES/dist/scripts/dailies.js" up >up.log 2>&1; }

rm -rf store sandbox out facts.jsonl ledger.backup
gateway & gateway=$!
await sandbox/tasks.jsonl
up & up=$!
await store/embedded/lock/1

# Completed: takes, a review, a choice, a budget. The first render ends because a review waits. The last one makes a
# take that a render of this version may leave out while no price is known.
dailies render harbour.yaml --quiet || true
dailies approve harbour dawn.startFrame --take 2
dailies render harbour.yaml --quiet
dailies render harbour.yaml --quiet
dailies choose harbour card 1 --yes --quiet || true
dailies choose harbour card 2 --yes --quiet
dailies fork harbour harbour-2
# Held: a review waits, and a person has paused it.
dailies render mist.yaml --quiet || true
dailies pause mist --reason 'The client has not answered.'
# A batch with a failed row.
fault task-content-policy
dailies batch cups.csv --quiet || true
# A schedule with one run, a single task, a limit.
dailies schedule create news --cron '0 3 * * *' news.yaml
dailies schedule trigger news
dailies generate --model quill-text-1 --output text --prompt 'A line about harbours' --id line
dailies limits --in-flight 8
await store/productions/news-hand-*/status.json

# Killed: `calm` is collected, `wave` is unclear, `gust` is accepted and not collected, `lee` is not sent.
render & render=$!
await store/ledger/storm/calm/1/accepted-1.json
fault accept-drop
await store/ledger/storm/wave/1/unclear-1.json
await store/ledger/storm/gust/1/accepted-1.json
kill -9 $gateway $(pids) $up $render

# Half of the store would be archived histories; those of the killed production and of the schedule's run stay.
# Of the gateway only the files stay that a later version asks for: those of the task that is not adopted yet.
node -e '
  const { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } = require("fs");
  for (const production of readdirSync("store/productions")) {
    const folder = `store/productions/${production}/histories`;
    if (/^(storm|news-hand-.*)$/.test(production) || !existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const { sha256 } = JSON.parse(readFileSync(`${folder}/${name}`, "utf8")).asset;
      rmSync(`store/assets/${sha256.slice(0, 2)}/${sha256}`);
    }
    rmSync(folder, { recursive: true });
  }
  const lines = readFileSync("sandbox/tasks.jsonl", "utf8").trim().split("\n");
  const tasks = new Map(lines.map((line) => [JSON.parse(line).id, line]));
  writeFileSync("sandbox/tasks.jsonl", `${[...tasks.values()].join("\n")}\n`);
  for (const id of readdirSync("sandbox/files")) {
    const { answerFault, finishedAt } = JSON.parse(tasks.get(id));
    if (answerFault === null || finishedAt === null) rmSync(`sandbox/files/${id}`, { recursive: true });
  }
  const unfinished = [...tasks.values()].filter((line) => JSON.parse(line).finishedAt === null).join();
  for (const name of readdirSync("sandbox/inputs")) if (!unfinished.includes(name)) rmSync(`sandbox/inputs/${name}`);
'
rm -r store/embedded store/pieces
dailies ledger --backup ledger.backup
rm -r sandbox.log up.log out
