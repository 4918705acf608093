/** Commands that run behind the conversation. */
import type { Host } from '../../front/repl/host.ts';
import type { Session } from '../../harness/index.ts';

export function jobsOf(session: () => Session) {
  const find = (id: string) => {
    const job = session()
      .jobs()
      .find((one) => one.id === id);
    if (!job) throw new Error(`There is no job ${id}.`);
    return job;
  };
  return {
    jobs: () =>
      session()
        .jobs()
        .map(({ id, command, since, code }) => ({
          id,
          command,
          since,
          ...(code === undefined ? {} : { ended: `ended, exit code ${code}` }),
        })),
    jobOutput: async (id) => find(id).output(),
    stopJob: async (id) => {
      const job = find(id);
      await job.stop();
      return `Job ${id} was stopped: \`${job.command}\`.`;
    },
    background: () => session().background(),
  } satisfies Partial<Host>;
}
