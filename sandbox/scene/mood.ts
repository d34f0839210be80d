import { between, pick, seededRandom } from '../random';
import { hex, mix, turnHue, type Color } from './color';

export type Time = 'night' | 'dawn' | 'day' | 'dusk' | 'storm' | 'fog';
export type Place = 'close' | 'hills' | 'peaks' | 'forest' | 'city' | 'dunes' | 'sea';
export type Weather = 'clear' | 'rain' | 'snow' | 'embers' | 'fireflies';

/** The mood of a picture, derived from its prompt. */
export interface Mood {
  readonly time: Time;
  readonly place: Place;
  readonly weather: Weather;
  /** Whether the prompt names a lighthouse or its beam. */
  readonly beacon: boolean;
  readonly boat: boolean;
  readonly palette: Palette;
}

export interface Palette {
  readonly zenith: Color;
  readonly sky: Color;
  readonly horizon: Color;
  /** The color of the sun or the moon, and of their light. */
  readonly light: Color;
  readonly cloud: Color;
  /** The color of the nearest land. Farther land is closer to the sky's colors. */
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

/**
 * Words of a prompt, and the `Time` that they mean. The word that comes first in the prompt decides. Each word also
 * matches longer words that begin with it.
 */
const TIME_WORDS: readonly (readonly [Time, RegExp])[] = [
  ['storm', words('storm', 'thunder', 'tempest', 'gale', 'rain')],
  ['fog', words('fog', 'mist', 'haze', 'smoke')],
  ['night', words('night', 'midnight', 'moon', 'star', 'dark', 'aurora')],
  ['dawn', words('dawn', 'sunrise', 'morning', 'daybreak')],
  ['dusk', words('dusk', 'sunset', 'evening', 'gold', 'twilight', 'blue hour')],
  ['day', words('noon', 'midday', 'daylight', 'blue sky', 'sunny')],
];

const PLACE_WORDS: readonly (readonly [Place, RegExp])[] = [
  ['close', words('close-up', 'close up', 'macro', 'interior', 'inside', 'room', 'hand', 'face', 'portrait', 'desk')],
  ['sea', words('sea', 'ocean', 'wave', 'coast', 'harbo', 'shore', 'beach', 'ship', 'boat', 'lake', 'river', 'quay')],
  ['sea', words('lighthouse', 'water', 'island', 'tide', 'sail', 'gull', 'headland', 'tower')],
  ['peaks', words('mountain', 'peak', 'alp', 'summit', 'ridge', 'glacier')],
  ['forest', words('forest', 'tree', 'woods', 'pine', 'jungle', 'leaf', 'leaves')],
  ['city', words('city', 'street', 'skyline', 'town', 'building', 'roof', 'neon')],
  ['dunes', words('desert', 'dune', 'sand')],
  ['hills', words('hill', 'meadow', 'field', 'valley', 'village', 'road')],
];

const WEATHER_WORDS: readonly (readonly [Weather, RegExp])[] = [
  ['snow', words('snow', 'winter', 'blizzard', 'icy', 'frost')],
  ['rain', words('rain', 'storm', 'thunder', 'tempest')],
  ['embers', words('fire ', 'ember', 'spark', 'candle', 'lantern', 'forge')],
  ['fireflies', words('firefl', 'magic', 'fairy', 'glow')],
];

const BEACON = words('lighthouse', 'beacon', 'beam');
const BOAT = words('boat', 'ship', 'sail', 'vessel', 'ferry');

/** Colors of the ground. `GROUND_SHARE` is their share in the color of the land. */
const GROUNDS: Readonly<Record<Place, Color>> = {
  close: hex('#3a2a20'),
  hills: hex('#2f5130'),
  peaks: hex('#33486b'),
  forest: hex('#123d2c'),
  city: hex('#2a3346'),
  dunes: hex('#c08248'),
  sea: hex('#26343c'),
};
const GROUND_SHARE: Readonly<Record<Time, number>> = {
  night: 0.12,
  dawn: 0.35,
  day: 0.8,
  dusk: 0.25,
  storm: 0.2,
  fog: 0.45,
};
const SNOW = hex('#e6edf7');

/** Largest rotation of the palette's hues, in degrees. */
const MAX_HUE_TURN = 14;

/**
 * Derives the mood from a prompt. The prompt's hash sets the hues, and also the time or place if no word of the prompt
 * does. So the same prompt always has the same mood.
 */
export function moodOf(prompt: string): Mood {
  const random = seededRandom('mood', prompt);
  const time = wordIn(prompt, TIME_WORDS) ?? pick<Time>(random, 'night', 'dawn', 'day', 'dusk', 'fog');
  const place = wordIn(prompt, PLACE_WORDS) ?? pick<Place>(random, 'hills', 'peaks', 'forest', 'dunes', 'sea');
  const degrees = between(random, -MAX_HUE_TURN, MAX_HUE_TURN);
  const { zenith, sky, horizon, light, cloud, land, water } = PALETTES[time];
  const outside = wordIn(prompt, WEATHER_WORDS) ?? 'clear';
  const weather = place === 'close' && (outside === 'rain' || outside === 'snow') ? 'clear' : outside;
  const ground = weather === 'snow' ? SNOW : GROUNDS[place];
  return {
    time,
    place,
    weather,
    beacon: BEACON.test(prompt),
    boat: BOAT.test(prompt),
    palette: {
      zenith: turnHue(zenith, degrees),
      sky: turnHue(sky, degrees),
      horizon: turnHue(horizon, degrees),
      light,
      cloud: turnHue(cloud, degrees),
      land: mix(turnHue(land, degrees), ground, GROUND_SHARE[time]),
      water: turnHue(water, degrees),
    },
  };
}

function wordIn<T>(prompt: string, table: readonly (readonly [T, RegExp])[]): T | undefined {
  const found = table
    .map(([meaning, pattern]) => ({ meaning, at: prompt.search(pattern) }))
    .filter(({ at }) => at >= 0);
  return found.sort((one, other) => one.at - other.at)[0]?.meaning;
}

function words(...beginnings: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${beginnings.join('|')})`, 'i');
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
