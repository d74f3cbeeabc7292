/**
 * Long work in turns: a worker has one thread, and a hint must not wait for an outlook.
 *
 * Work that is asked for is cut into pieces (`Steps`). The most urgent of all goes on for some milliseconds, then
 * messages that have come meanwhile are heard.
 */
import type { Steps } from "./solve";

const MILLISECONDS = 12;

/** Smaller is more urgent. */
export const PRIORITY = { answer: 0, solve: 1, chance: 2, outlook: 3, background: 4 };

interface Job {
  priority: number;
  /** Goes on for a while; true when it is done. */
  resume: (until: number) => boolean;
}

export class Scheduler {
  private readonly jobs: Job[] = [];
  private running = false;

  /** Have something done, piece by piece. */
  run<T>(priority: number, begin: () => Steps<T>, progress?: (share: number) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let steps: Steps<T> | null = null;
      const resume = (until: number): boolean => {
        try {
          steps ??= begin();
          do {
            const { done, value } = steps.next();
            if (done) {
              resolve(value);
              return true;
            }
            progress?.(value);
          } while (performance.now() < until);
          return false;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      this.jobs.push({ priority, resume });
      if (!this.running) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.running = true;
    while (this.jobs.length) {
      const job = this.jobs.reduce((first, one) => (one.priority < first.priority ? one : first));
      if (job.resume(performance.now() + MILLISECONDS)) this.jobs.splice(this.jobs.indexOf(job), 1);
      await pause();
    }
    this.running = false;
  }
}

/** Until everything that has come in meanwhile was heard; a timer would wait for milliseconds. */
function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = (): void => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
