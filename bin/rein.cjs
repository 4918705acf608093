#!/usr/bin/env node
// The door. It answers what needs no program, and runs (to say so) on any Node since 12: keep its syntax that old.
'use strict';

const found = process.versions.node.split('.').map(Number);
const [command] = process.argv.slice(2);

if (found[0] < 22 || (found[0] === 22 && found[1] < 19)) {
  process.stderr.write(
    'rein needs Node 22.19 or newer; this is ' + process.versions.node + '. See https://nodejs.org\n',
  );
  process.exitCode = 2;
} else if (command === '--version' || command === '-v' || command === '-V') {
  process.stdout.write(require('../package.json').version + '\n');
} else {
  start();
}

function start() {
  const main = require('node:path').join(__dirname, '../dist/cli/main.js');
  if (!require('node:fs').existsSync(main)) {
    process.stderr.write(
      'rein is not built yet: run `npm run build` in ' + require('node:path').dirname(__dirname) + '\n',
    );
    process.exitCode = 2;
    return;
  }
  // Compiled code is kept with the user's own files: an install may be read-only, and in a temporary folder that others
  // can write, somebody else could leave code for us. Where it can't be kept, Node goes on without it.
  const folder = cacheFolder();
  const { enableCompileCache } = require('node:module');
  if (folder !== undefined && enableCompileCache && makePrivate(folder)) enableCompileCache(folder);
  import(require('node:url').pathToFileURL(main).href);
}

/** Node would make the folders above it for all to read, and the user's sessions come to lie in one of them. */
function makePrivate(folder) {
  try {
    require('node:fs').mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch (_) {
    return false;
  }
}

function cacheFolder() {
  const env = process.env;
  const path = require('node:path');
  try {
    // What is empty or relative would lie in the working folder, where a repository could bring code for us.
    const folder = (name) => (path.isAbsolute(env[name] || '') ? env[name] : undefined);
    if (folder('REIN_HOME')) return path.join(env.REIN_HOME, 'cache', 'compiled');
    const home = folder('HOME') || require('node:os').userInfo().homedir;
    return path.join(folder('XDG_CACHE_HOME') || path.join(home, '.cache'), 'rein', 'compiled');
  } catch (_) {
    return undefined; // a user without a home folder
  }
}
