import type { Answer, Asked, Reply } from '../turn.ts';

/** A scripted piece of work: yields a reply with calls, is given their answers, returns the last reply. */
export type Job = Generator<Reply, Reply, readonly Answer[]>;

/**
 * The reply that follows the answers so far. The job is run again from its start with the answers of the request, so it
 * is a function of what the request holds and keeps nothing between requests.
 */
export const nextReply = (job: Job, rounds: Asked['rounds']): Reply => {
  let step = job.next();
  for (const answers of rounds) {
    if (step.done) break;
    step = job.next(answers);
  }
  return step.value;
};
