import { between, pick, seededRandom } from '../random';
import { hex, turnHue, type Color } from './color';

export type Time = 'night' | 'dawn' | 'day' | 'dusk' | 'storm' | 'fog';
export type Place = 'hills' | 'peaks' | 'forest' | 'city' | 'dunes' | 'sea';
export type Weather = 'clear' | 'rain' | 'snow' | 'embers' | 'fireflies';

/** What a prompt asks the picture to feel like. */
export interface Mood {
  readonly time: Time;
  readonly place: Place;
  readonly weather: Weather;
  /** A lighthouse with its sweeping beam. */
  readonly beacon: boolean;
  readonly palette: Palette;
}

export interface Palette {
  readonly zenith: Color;
  readonly sky: Color;
  readonly horizon: Color;
  /** The sun or the moon, and everything that it lights. */
  readonly light: Color;
  readonly cloud: Color;
  /** The nearest land; farther land goes towards the horizon's color. */
  readonly land: Color;
  readonly water: Color;
}

const PALETTES: Readonly<Record<Time, Palette>> = {
  night: palette('#050a1e', '#122452', '#41639a', '#e6eeff', '#2b3f74', '#03060f', '#08183a'),
  dawn: palette('#2d4076', '#c78aa2', '#ffd8a6', '#fff0c4', '#f3a99b', '#1f2036', '#3d5a80'),
  day: palette('#2568b8', '#74b4e6', '#e2f1f4', '#fffbe6', '#ffffff', '#17382c', '#14597e'),
  dusk: palette('#221845', '#a83f6d', '#ffa45c', '#ffe3a3', '#e0607a', '#150d20', '#43264f'),
  storm: palette('#12171f', '#36434f', '#8b9a9c', '#dfeaf0', '#59646c', '#0a0e12', '#1a2b35'),
  fog: palette('#7f8d98', '#b3bfc4', '#e6e8e2', '#fdf9ea', '#d5dadb', '#37444d', '#74868f'),
};

/** The first line whose words stand in the prompt counts. */
const TIME_WORDS: readonly (readonly [Time, RegExp])[] = [
  ['storm', /storm|thunder|tempest|gale|rain/],
  ['fog', /fog|mist|haze|smoke/],
  ['night', /night|moon|star|dark|aurora/],
  ['dawn', /dawn|sunrise|morning|daybreak/],
  ['dusk', /dusk|sunset|evening|golden|twilight/],
  ['day', /noon|day|summer|blue sky|sunny/],
];

const PLACE_WORDS: readonly (readonly [Place, RegExp])[] = [
  ['sea', /\bsea|ocean|wave|coast|harbou?r|shore|beach|ship|boat|lake|river|lighthouse|water|island|tide|sail|gull/],
  ['peaks', /mountain|peak|\balp|summit|cliff|ridge|glacier/],
  ['forest', /forest|\btree|wood|pine|jungle|leaf|leaves/],
  ['city', /city|street|skyline|town|building|roof|neon|window/],
  ['dunes', /desert|dune|\bsand/],
  ['hills', /hill|meadow|field|valley|village|road/],
];

const WEATHER_WORDS: readonly (readonly [Weather, RegExp])[] = [
  ['snow', /snow|winter|blizzard|ice|frost/],
  ['rain', /rain|storm|thunder|tempest/],
  ['embers', /fire|ember|spark|candle|lantern|forge/],
  ['fireflies', /firef|magic|fairy|glow/],
];

/** How far a prompt may turn the palette's hues, in degrees. */
const MAX_HUE_TURN = 14;

/** Reads a prompt. Where its words say nothing, its hash decides, so that the same prompt always feels the same. */
export function moodOf(prompt: string): Mood {
  const words = prompt.toLowerCase();
  const random = seededRandom('mood', prompt);
  const time = wordIn(words, TIME_WORDS) ?? pick<Time>(random, 'night', 'dawn', 'day', 'dusk', 'fog');
  const place = wordIn(words, PLACE_WORDS) ?? pick<Place>(random, 'hills', 'peaks', 'forest', 'dunes', 'sea');
  const degrees = between(random, -MAX_HUE_TURN, MAX_HUE_TURN);
  const { zenith, sky, horizon, light, cloud, land, water } = PALETTES[time];
  return {
    time,
    place,
    weather: wordIn(words, WEATHER_WORDS) ?? 'clear',
    beacon: /lighthouse|beacon|beam/.test(words),
    palette: {
      zenith: turnHue(zenith, degrees),
      sky: turnHue(sky, degrees),
      horizon: turnHue(horizon, degrees),
      light,
      cloud: turnHue(cloud, degrees),
      land: turnHue(land, degrees),
      water: turnHue(water, degrees),
    },
  };
}

function wordIn<T>(words: string, table: readonly (readonly [T, RegExp])[]): T | undefined {
  return table.find(([, pattern]) => pattern.test(words))?.[0];
}

function palette(
  zenith: string,
  sky: string,
  horizon: string,
  light: string,
  cloud: string,
  land: string,
  water: string,
): Palette {
  return {
    zenith: hex(zenith),
    sky: hex(sky),
    horizon: hex(horizon),
    light: hex(light),
    cloud: hex(cloud),
    land: hex(land),
    water: hex(water),
  };
}
