import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStore, ForeignStore } from '../../../store/backup/find-store';
import { temporaryFolder } from '../../support/temporary-folder';

describe('the store that is found', () => {
  let root: string;
  beforeEach(async () => {
    root = realpathSync(await temporaryFolder());
    for (const folder of ['project/films/deep', 'elsewhere/inner']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'project', 'films', 'film.yaml'), 'title: A film');
  });

  const at = (...path: string[]) => join(root, ...path);
  const makeStore = (...path: string[]) => {
    mkdirSync(at(...path, '.dailies'), { recursive: true });
    writeFileSync(at(...path, '.dailies', 'store.json'), '{}');
    return at(...path, '.dailies');
  };
  const find = (cwd: string, file?: string, setting?: string) => findStore({ cwd, file, setting });

  it.each([
    ['the folder above the file', () => at('project'), 'films/film.yaml'],
    ["the file's own folder", () => at('project', 'films'), 'film.yaml'],
    ['an unrelated folder', () => at('elsewhere', 'inner'), '../../project/films/film.yaml'],
  ])('is the one above the file, seen from %s', (_, cwd, file) => {
    const store = makeStore('project');
    expect(find(cwd(), file)).toMatchObject({ folder: store, exists: true, from: 'search' });
  });

  it('is the one above the file when the file is reached through a symbolic link', () => {
    const store = makeStore('project');
    symlinkSync(at('project', 'films'), at('elsewhere', 'link'));
    symlinkSync(at('project', 'films', 'film.yaml'), at('elsewhere', 'film.yaml'));
    expect(find(at('elsewhere'), 'link/film.yaml').folder).toBe(store);
    expect(find(at('elsewhere'), 'film.yaml').folder).toBe(store);
  });

  it('is the nearest one; that of the file comes before that of the working directory', () => {
    makeStore('.');
    const films = makeStore('project', 'films');
    const inner = makeStore('elsewhere', 'inner');
    expect(find(at('elsewhere', 'inner'), at('project', 'films', 'film.yaml')).folder).toBe(films);
    expect(find(at('elsewhere', 'inner')).folder).toBe(inner);
  });

  it('is the one above the working directory for a command without a file, or a file without a store', () => {
    const store = makeStore('elsewhere');
    expect(find(at('elsewhere', 'inner')).folder).toBe(store);
    expect(find(at('elsewhere', 'inner'), at('project', 'films', 'film.yaml')).folder).toBe(store);
  });

  it('is not a folder that has only the name', () => {
    mkdirSync(at('project', 'films', '.dailies'));
    const store = makeStore('project');
    expect(find(at('project', 'films')).folder).toBe(store);
  });

  it('is created where the next search from the file finds it, and the searched folders are named', () => {
    const file = at('project', 'films', 'film.yaml');
    expect(find(at('project'), file)).toMatchObject({ folder: at('project', '.dailies'), exists: false });
    expect(find(at('elsewhere'), file)).toMatchObject({ folder: at('project', 'films', '.dailies'), exists: false });
    expect(find(at('elsewhere', 'inner'))).toMatchObject({ folder: at('elsewhere', 'inner', '.dailies') });
    const { searched } = find(at('elsewhere'), file);
    expect(searched.slice(0, 3)).toEqual([at('project', 'films'), at('project'), root]);
    expect(searched).toContain(at('elsewhere'));
    expect(new Set(searched).size).toBe(searched.length);
  });

  it('is what DAILIES_STORE says, seen from the working directory', () => {
    makeStore('project');
    const place = find(at('elsewhere'), at('project', 'films', 'film.yaml'), 'inner/store');
    expect(place).toEqual({ folder: at('elsewhere', 'inner', 'store'), exists: false, from: 'setting', searched: [] });
  });

  // Only root can change the owner of a file.
  if (process.getuid?.() === 0) {
    it("is not another user's store that lies above", () => {
      const store = makeStore('.');
      chownSync(join(store, 'store.json'), 65534, 65534);
      expect(() => find(at('project', 'films'))).toThrow(ForeignStore);
      expect(() => find(at('project', 'films'))).toThrow(`DAILIES_STORE=${store}`);
      expect(find(root).folder).toBe(store);
      expect(find(at('project'), undefined, store).folder).toBe(store);
    });

    it("is not another user's store in a folder that everybody may write to", () => {
      const store = makeStore('elsewhere');
      chownSync(join(store, 'store.json'), 65534, 65534);
      expect(find(at('elsewhere')).folder).toBe(store);
      chmodSync(at('elsewhere'), 0o1777);
      expect(() => find(at('elsewhere'))).toThrow(ForeignStore);
      expect(() => find(at('project'), at('elsewhere', 'film.yaml'))).toThrow(ForeignStore);
    });

    it('is the one above the file even if this user may not read it', () => {
      const store = makeStore('project', 'films');
      const own = makeStore('elsewhere');
      for (const path of [root, at('project'), at('project', 'films'), at('elsewhere')]) chmodSync(path, 0o755);
      chmodSync(store, 0o700);
      chownSync(join(own, 'store.json'), 65534, 65534);
      process.seteuid?.(65534);
      try {
        expect(find(at('elsewhere'), at('project', 'films', 'film.yaml'))).toMatchObject({
          folder: store,
          exists: true,
        });
        expect(() => find(at('elsewhere'), at('project', 'films', 'deep', 'film.yaml'))).toThrow(ForeignStore);
      } finally {
        process.seteuid?.(0);
      }
    });
  }
});
