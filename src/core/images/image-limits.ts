/** Whoever opens a pull request chooses its images: these hold whatever they are. */
export const imageLimits = {
  /** Of a run: changed ones and those asked for together. */
  images: 20,
  /** JPEG bytes of a run. They are sent again in each round, and OpenAI takes 50 MB a request. */
  sentBytes: 20_000_000,
  fileBytes: 10_000_000,
  /** Read in the header, before anything is decoded: a few bytes may unfold to gigabytes. */
  pixels: 40_000_000,
  /** Pixels of the longer side of what is sent. */
  side: 2_048,
  /** JPEG quality, 1 to 100. */
  quality: 85,
  /** For one image: to start, decode, resize and encode. */
  milliseconds: 10_000,
  /** For all changed images of a pull request. */
  allMilliseconds: 60_000,
  /** Changed files that are opened to see whether they are images. */
  openedFiles: 60,
} as const;
