// The throttling plugin bundles this build of Bottleneck, which comes without types of its own.
declare module 'bottleneck/light.js' {
  export { default } from 'bottleneck';
}
