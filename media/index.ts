export { findFfmpeg, FfmpegMissingError, type Ffmpeg } from './find-ffmpeg';
export { runFfmpeg, FfmpegError, type RunOptions } from './run-ffmpeg';
export { firstFrame, lastFrame, NoFrameError } from './frames';
