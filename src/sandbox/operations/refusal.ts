/** An answer other than `ok`: its HTTP code, its `status`, and for people what was wrong. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly http: number;
  readonly status: string;

  constructor(http: number, status: string, message: string) {
    super(message);
    this.http = http;
    this.status = status;
  }
}
