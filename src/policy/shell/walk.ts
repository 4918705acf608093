/**
 * From the syntax tree to the commands. The grammar is an approximation of bash, so nothing of it is taken on trust:
 * only known nodes pass, and what stands between them must be blank to bash as well. All else is reported as unknown.
 */
import type { Tree } from './grammar.ts';
import { readHeredoc } from './heredoc.ts';
import { checkGaps, type Found, slice, type Walk } from './reading.ts';
import { readHereString, readRedirect } from './redirects.ts';
import { readTest } from './test-command.ts';
import type { Reason, Word } from './types.ts';
import { isWord, readWord } from './words.ts';

/** Nodes that only hold others: a step of the walk and no more. */
const CONTAINERS = new Set([
  'program',
  'list',
  'pipeline',
  'subshell',
  'compound_statement',
  'do_group',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'for_statement',
  'case_statement',
  'case_item',
  'negated_command',
]);
const TOKENS = new Set(
  '; ;; ;& ;;& & && || | |& ( ) { } ! if then elif else fi while until do done for select in case esac $( ` <( >('.split(
    ' ',
  ),
);
const LOOPS = new Set(['while_statement', 'for_statement']);
const BLANK = /^(?:[ \t\n]|\\\n)*$/;

export function walk(root: Tree, source: string, home: string | null): Found {
  const found: Found = { commands: [], redirects: [], assignments: [], unknown: [], loops: false };
  const report = (reason: Reason) => void found.unknown.push(reason);
  const at = (backticks: boolean): Walk => {
    const visit = (node: Tree): void => visitNode(node, here);
    const enter = (node: Tree): void => visitContainer(node, source[node.start] === '`' ? at(true) : here);
    const here: Walk = { source, home, report, enter, found, backticks, visit };
    return here;
  };
  const outside = source.slice(0, root.start) + source.slice(root.end);
  if (!BLANK.test(outside)) report({ text: outside.trim(), why: 'text that the grammar does not see' });
  at(false).visit(root);
  return found;
}

function visitNode(node: Tree, walk: Walk): void {
  if (node.broken) {
    walk.report({ text: slice(walk, node), why: 'a syntax error' });
    for (const child of node.children) if (child.named) visitNode(child, walk);
    return;
  }
  const read = CONTAINERS.has(node.type) ? visitContainer : STATEMENTS[node.type];
  if (read) read(node, walk);
  else if (isWord(node)) readWord(node, walk);
  else {
    walk.report({ text: slice(walk, node), why: `${node.type.replaceAll('_', ' ')} is not understood` });
    for (const child of node.children) if (child.named) visitNode(child, walk);
  }
}

const STATEMENTS: Readonly<Record<string, (node: Tree, walk: Walk) => void>> = {
  command: (node, walk) => readCommand(node, [], walk),
  redirected_statement: readRedirected,
  file_redirect: (node, walk) => void readRedirect(node, walk, false),
  variable_assignment: (node, walk) => readAssignment(node, walk, false),
  variable_assignments: (node, walk) => {
    checkGaps(node.children, walk);
    for (const child of node.children) readAssignment(child, walk, false);
  },
  declaration_command: readDeclaration,
  unset_command: readDeclaration,
  test_command: readTest,
  comment: readComment,
  function_definition: (node, walk) => {
    walk.report({ text: slice(walk, node), why: 'it defines a function' });
    for (const child of node.children) if (child.named && child.type !== 'word') walk.visit(child);
  },
};

function visitContainer(node: Tree, walk: Walk): void {
  if (LOOPS.has(node.type)) walk.found.loops = true;
  let end = node.start;
  for (const child of node.children) {
    const gap = walk.source.slice(end, child.start);
    if (!BLANK.test(gap)) walk.report({ text: gap, why: 'text that the grammar does not see' });
    end = child.end;
    if (child.type === 'variable_name' && node.type === 'for_statement') readLoopVariable(child, walk);
    else if (child.named) walk.visit(child);
    else if (child.broken || !TOKENS.has(child.type)) {
      walk.report({ text: slice(walk, node), why: `"${child.type}" is not understood` });
    }
  }
}

/** `for PATH in …` assigns as well as `PATH=…` does. */
function readLoopVariable(node: Tree, walk: Walk): void {
  const name = slice(walk, node);
  walk.found.assignments.push({ name, value: null, exported: false, text: `for ${name}` });
}

/** A comment hides the rest of its line, so bash must see it as one too. */
function readComment(node: Tree, walk: Walk): void {
  const before = walk.source[node.start - 1] ?? '\n';
  if (walk.backticks || !' \t\n;&|()'.includes(before)) {
    walk.report({ text: slice(walk, node), why: 'it may not be a comment' });
  }
}

function readCommand(node: Tree, extra: readonly Word[], walk: Walk): void {
  checkGaps(node.children, walk);
  let name: Word | null = null;
  const words: Word[] = [];
  for (const child of node.children) {
    if (child.type === 'variable_assignment') readAssignment(child, walk, true);
    else if (child.type === 'file_redirect') words.push(...readRedirect(child, walk, name !== null));
    else if (child.type === 'herestring_redirect') readHereString(child, walk);
    else if (child.type === 'command_name') name = readWord(child, walk);
    else if (isWord(child) || !child.named) words.push(readWord(child, walk));
    else walk.visit(child.type === 'subshell' ? { ...child, broken: true } : child);
  }
  if (name) walk.found.commands.push({ name, words: [...words, ...extra], text: slice(walk, node) });
  else walk.report({ text: slice(walk, node), why: 'a command without a name' });
}

function readRedirected(node: Tree, walk: Walk): void {
  const [first, ...rest] = node.children;
  const body = first && first.type !== 'file_redirect' && !first.type.startsWith('here') ? first : undefined;
  const redirects = body ? rest : node.children;
  const extra: Word[] = [];
  // The grammar swallows the dash of `python3 - <<E`.
  const dash = body?.type === 'command' && /^[ \t]+-[ \t]+$/.test(walk.source.slice(body.end, rest[0]?.start));
  if (dash) extra.push({ raw: '-', text: '-', single: true });
  checkGaps(dash ? rest : node.children, walk);
  for (const redirect of redirects) {
    if (redirect.type === 'file_redirect') extra.push(...readRedirect(redirect, walk, true));
    else if (redirect.type === 'heredoc_redirect') extra.push(...readHeredoc(redirect, walk));
    else if (redirect.type === 'herestring_redirect') readHereString(redirect, walk);
    else walk.visit(redirect);
  }
  if (body?.type === 'command') readCommand(body, extra, walk);
  else {
    if (extra.length > 0) walk.report({ text: slice(walk, node), why: 'words after a redirection' });
    if (body) walk.visit(body);
  }
}

function readAssignment(node: Tree, walk: Walk, exported: boolean): void {
  const [name, operator, ...values] = node.children;
  const text = slice(walk, node);
  const value = values[0];
  const joined = name && operator && name.end === operator.start && (!value || value.start === operator.end);
  if (name?.type !== 'variable_name' || !joined || values.length > 1 || (value && !isWord(value))) {
    walk.report({ text, why: 'an assignment of an unknown form' });
    for (const child of node.children) if (child.named) walk.visit(child);
    return;
  }
  const word = value ? readWord(value, walk) : null;
  walk.found.assignments.push({ name: slice(walk, name), value: word, exported, text });
}

/** `export`, `declare`, `unset` … : a command whose assignments the grammar reads for us. */
function readDeclaration(node: Tree, walk: Walk): void {
  checkGaps(node.children, walk);
  const [keyword, ...rest] = node.children;
  if (!keyword) return;
  const words: Word[] = [];
  for (const child of rest) {
    if (child.type === 'variable_assignment') readAssignment(child, walk, true);
    if (child.type === 'variable_assignment') {
      const raw = slice(walk, child);
      words.push({ raw, text: /^[\w=./:-]*$/.test(raw) ? raw : null, single: true });
    } else if (isWord(child)) words.push(readWord(child, walk));
    else walk.visit(child);
  }
  walk.found.commands.push({ name: readWord({ ...keyword, named: true }, walk), words, text: slice(walk, node) });
}
