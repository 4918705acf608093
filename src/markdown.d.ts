/** The text for the model lives in Markdown files; the bundler and Vitest load them as strings. */
declare module '*.md' {
  const text: string;
  export default text;
}
