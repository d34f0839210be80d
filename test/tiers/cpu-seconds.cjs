const { readFileSync } = require('node:fs');

/** Linux reports CPU time to programs in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;

/** CPU seconds of this process and of its children that have ended. Off Linux the children are not counted. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds() {
  let stat;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return 0;
  }
  // The second field is the program's name, which may contain spaces. What follows it starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [childUserTicks, childSystemTicks] = [Number(fields[13]), Number(fields[14])];
  return (childUserTicks + childSystemTicks) / TICKS_PER_SECOND;
}

module.exports = { cpuSeconds };
