import Router from '@koa/router';

type Match = ReturnType<Router['match']>;
type Layer = Router['stack'][number];

interface Place {
  readonly layer: Layer;
  /** The parts of its path; `undefined` where a parameter stands. */
  readonly segments: readonly (string | undefined)[];
}

/**
 * `@koa/router`, which tries the pattern of every route in turn, with an index over its routes: by the whole path where
 * it has no parameter (a concrete path goes before a template, OpenAPI 3.0.3, Paths Object), else by its segments.
 */
export class IndexedRouter extends Router {
  #concrete: Map<string, Layer[]> | undefined;
  #templates = new Map<number, Place[]>();

  override match(path: string, method: string): Match {
    const concrete = (this.#concrete ?? this.#index()).get(path);
    const layers = concrete ?? this.#templatesOf(path);
    const pathAndMethod = layers.filter((layer) => layer.methods.includes(method));
    return { path: layers, pathAndMethod, route: pathAndMethod.length > 0 };
  }

  #templatesOf(path: string): Layer[] {
    const segments = path.split('/');
    const layers: Layer[] = [];
    for (const place of this.#templates.get(segments.length) ?? []) {
      if (place.segments.every((segment, i) => segment === undefined || segment === segments[i])) {
        if (place.layer.match(path)) layers.push(place.layer);
      }
    }
    return layers;
  }

  #index(): Map<string, Layer[]> {
    const concrete = new Map<string, Layer[]>();
    for (const layer of this.stack) {
      const path = String(layer.path);
      const segments = path.split('/').map((segment) => (segment.startsWith(':') ? undefined : segment));
      if (segments.includes(undefined)) {
        this.#templates.set(segments.length, [...(this.#templates.get(segments.length) ?? []), { layer, segments }]);
      } else concrete.set(path, [...(concrete.get(path) ?? []), layer]);
    }
    this.#concrete = concrete;
    return concrete;
  }
}
