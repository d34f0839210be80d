/** Collects bits, highest bit first, as H.264 requires. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #free = 0;

  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit -= 1) {
      if (this.#free === 0) {
        this.#bytes.push(0);
        this.#free = 8;
      }
      this.#free -= 1;
      const last = this.#bytes.length - 1;
      this.#bytes[last] = (this.#bytes[last] ?? 0) | (((value >>> bit) & 1) << this.#free);
    }
    return this;
  }

  /** Writes an unsigned Exp-Golomb code. Source: H.264, 9.1. */
  golomb(value: number): this {
    const length = 32 - Math.clz32(value + 1);
    return this.bits(0, length - 1).bits(value + 1, length);
  }

  align(): this {
    return this.bits(0, this.#free);
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}
