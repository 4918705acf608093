/** What a token looks like where nobody told us its value. Each shape is one line. */

export type Shape = {
  readonly name: string;
  /** A text without this holds none. */
  readonly hint: string;
  readonly pattern: RegExp;
  /** What fits the pattern and is no token: prose, class names, the examples of manuals. */
  readonly unless?: RegExp;
};

/** Not in the middle of a longer word, as base64 would have it. */
const shape = (name: string, hint: string, source: string, unless?: RegExp): Shape => ({
  name,
  hint,
  pattern: new RegExp(`(?<![A-Za-z0-9+_-])${source}(?![A-Za-z0-9])`, 'g'),
  ...(unless ? { unless } : {}),
});

/** A real key has digits and both cases; words joined by dashes don't. */
const NOT_MIXED = /^(?!(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d))/;
const SAMPLE = /EXAMPLE|X{6}|x{6}|0{8}|\.\.\./;

export const tokenShapes = (): readonly Shape[] => [
  { name: 'private-key', hint: ' PRIVATE KEY', pattern: PEM },
  { name: 'aws-secret-key', hint: 'aws_secret_access_key', pattern: AWS_SECRET, unless: SAMPLE },
  { name: 'bearer-token', hint: 'earer ', pattern: BEARER, unless: SAMPLE },
  shape('aws-key-id', 'A', '(?:AKIA|ASIA)[A-Z0-9]{16}', SAMPLE),
  shape('github-token', 'gh', 'gh[pousr]_[A-Za-z0-9]{36,255}', SAMPLE),
  shape('github-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{40,255}', SAMPLE),
  shape('gitlab-token', 'glpat-', 'glpat-[A-Za-z0-9_-]{20,}', SAMPLE),
  shape('slack-token', 'xox', 'xox[abeoprs]-(?:\\d+-)+[A-Za-z0-9-]{10,}', SAMPLE),
  shape('slack-webhook', 'hooks.slack.com', 'https://hooks\\.slack\\.com/services/T\\w+/B\\w+/\\w{20,}', SAMPLE),
  shape('jwt', 'eyJ', 'eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{20,}'),
  shape('api-key', 'sk-ant-', 'sk-ant-[\\w-]{24,}', SAMPLE),
  shape('api-key', 'sk-or-v1-', 'sk-or-v1-[0-9a-f]{48,}', SAMPLE),
  shape('api-key', 'sk-', 'sk-(?:proj-|svcacct-|admin-)?[\\w-]{32,}', NOT_MIXED),
  shape('api-key', 'gsk_', 'gsk_[A-Za-z0-9]{40,}', NOT_MIXED),
  shape('api-key', 'xai-', 'xai-[A-Za-z0-9]{60,}', NOT_MIXED),
  shape('google-key', 'AIza', 'AIza[\\w-]{35}', NOT_MIXED),
  shape('stripe-key', '_live_', '[sr]k_live_[A-Za-z0-9]{20,}', SAMPLE),
  shape('npm-token', 'npm_', 'npm_[A-Za-z0-9]{36}', NOT_MIXED),
  shape('pypi-token', 'pypi-', 'pypi-AgE[\\w-]{50,}'),
  shape('hugging-face-token', 'hf_', 'hf_[A-Za-z0-9]{34,}', NOT_MIXED),
  shape('sendgrid-key', 'SG.', 'SG\\.[\\w-]{22}\\.[\\w-]{43}'),
];

/** The end may have been cut off, and line numbers may stand in between. */
const PEM =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,160}?[\w+/=]{30})(?:(?!-----)[\w+/=\s\\"',:|.()-]){40,}(?:-----END [A-Z ]*-----)?/g;
const AWS_SECRET = /(?<=aws_secret_access_key["']?\s{0,4}[=:]\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi;
const BEARER = /(?<=\bauthorization["']?\s{0,4}:\s{0,4}["']?bearer )[\w.~+/-]{24,}=*/gi;
