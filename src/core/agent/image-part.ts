/** An image as a model gets it. */
export type ImagePart = {
  readonly mediaType: 'image/jpeg';
  readonly base64: string;
  /** 32 hex digits that stand for the image where its bytes would be too much. */
  readonly digest: string;
  /** Pixels of what is sent; the label has those of the file. */
  readonly width: number;
  readonly height: number;
  /** How closely the model is to look, which also sets the price. */
  readonly detail: 'low' | 'high';
  /** Input tokens that it may cost: the base64 text says nothing of that. */
  readonly tokens: number;
  /** One line that says what it shows, such as `logo.png before (merge base), 640x480`. Its path is rendered by `shown()`. */
  readonly label: string;
};
