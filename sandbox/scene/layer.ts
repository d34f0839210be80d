/** One layer of land. Its positions do not depend on the camera. */
export interface Layer {
  /** Greater than 0; 1 is the nearest. */
  readonly nearness: number;
  /** Heights above the layer's foot in pixels, for every position that comes into view. */
  readonly profile: Float32Array;
  readonly footY: number;
  /** A packed color for each row; mist thickens towards the foot. */
  readonly rows: Uint32Array;
}

/**
 * The camera's view of a layer: the layer's position at the left edge of the picture, and how far the layer has sunk,
 * in pixels.
 */
export interface LayerView {
  readonly left: number;
  readonly sunk: number;
}
