import { type Html } from '../../client/contact-sheet/html';
import { type Outcome } from './form-tokens';
import { type Studio } from './studio';

/** A page's content. The layout adds the rest. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Default: 200. */
  readonly status?: 200 | 404 | 409 | 413 | 422 | 500;
  /** The version of the shown content, if the route has `showsVersion`. */
  readonly version?: string;
}

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Returns the hidden field with a token for a form that posts to the path. */
  readonly token: (path: string) => Html;
}

export interface PageRoute {
  /** In Hono's syntax, for example `/productions/:id`. */
  readonly path: string;
  show(studio: Studio, request: PageRequest): Promise<Page>;
  /**
   * For a page that takes long to make: checks quickly whether the page exists. If it does, a browser that opens the
   * page gets the beginning of the document first, and loads the style sheet and fonts meanwhile. The status is then
   * 200 even if `show` throws. The page still shows the error.
   */
  readonly exists?: (studio: Studio, request: Pick<PageRequest, 'params'>) => Promise<boolean>;
  /**
   * Returns a text that changes when the page's content changes. The studio calls `version` twice a second for each
   * visible tab, so the call must be cheap. Absent for pages that do not change by themselves.
   */
  readonly version?: (studio: Studio, request: Pick<PageRequest, 'params' | 'query'>) => Promise<string>;
  /** True if the page that `show` returns has a `version`. Otherwise `version` is called before `show`. */
  readonly showsVersion?: true;
}

export interface ActionRequest {
  readonly params: Readonly<Record<string, string>>;
  /** A field of the form; empty if absent. */
  readonly field: (name: string) => string;
  /** A file that was sent with the form; undefined if there is none, or the file is empty. */
  readonly file: (name: string) => File | undefined;
  /** Like `PageRequest.token`, for a form of the page that this action returns. */
  readonly token: (path: string) => Html;
  /** The JSON value of a field; undefined if the field is not JSON. */
  readonly json: (name: string) => unknown;
}

/** The action of a form. It runs once for each token, but can run again if it returned a page. */
export interface ActionRoute {
  readonly path: string;
  /**
   * @returns the outcome, or a page to show instead, for example a plan to agree to.
   * @throws Refused if the action is refused. Nothing has changed then. The person sees the message.
   */
  act(studio: Studio, request: ActionRequest): Promise<Outcome | Page>;
}

/** A file that is generated on request. */
export interface FileRoute {
  readonly path: string;
  file(studio: Studio, request: Pick<PageRequest, 'params'>): Promise<MadeFile>;
}

export interface MadeFile {
  /** File name of the download; undefined if the browser is to show the file. */
  readonly name?: string | undefined;
  readonly mediaType: string;
  /** The text, or pieces of it that are generated while the file is sent. */
  readonly body: string | AsyncIterable<string>;
}

/** Pages, files and actions of one subject. */
export interface Section {
  readonly pages: readonly PageRoute[];
  readonly files?: readonly FileRoute[];
  readonly actions: readonly ActionRoute[];
}
