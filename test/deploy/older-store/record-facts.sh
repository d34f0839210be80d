#!/bin/bash
# Makes `facts.jsonl`: what the version in $DAILIES prints of the store alone, without Temporal and without the gateway.
# Run it 15 minutes after make.sh: the accepted task is overdue then, and the facts do not change any more.
set -eu
cd "$(dirname "$0")"
: "$DAILIES"
export DAILIES_GATEWAY_URL=http://127.0.0.1:4917 DAILIES_GATEWAY_KEY=of-the-sandbox DAILIES_GATEWAY_ACCOUNT=sandbox
export DAILIES_STORE=store
unset TEMPORAL_ADDRESS

dailies() { node "$DAILIES/dist/scripts/dailies.js" "$@"; }

for verb in list ledger 'status harbour' 'status storm' 'status mist' 'status news-hand-*' 'takes harbour' 'takes storm' \
  'budget harbour' 'budget storm' 'audit harbour' 'audit storm' 'audit news-hand-*' 'batch status cups' \
  'schedule list' 'schedule show news' 'plan harbour.yaml --id harbour' 'plan storm.yaml --id storm' limits; do
  args=${verb/news-hand-\*/$(basename store/productions/news-hand-*)}
  code=0
  dailies $args --json >answer.json || code=$?
  node -e 'const [args, code] = process.argv.slice(1);
    const answer = JSON.parse(require("fs").readFileSync("answer.json", "utf8"));
    console.log(JSON.stringify({ args, exitCode: Number(code), answer }))' "$args" "$code"
done >facts.jsonl
rm answer.json
