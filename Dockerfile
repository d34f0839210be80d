# Compiles with all tools, runs without them.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The runtime has the distribution's ffmpeg, which is newer and patched.
RUN npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@ffmpeg-installer

FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates ffmpeg \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/productions ./productions
# A new volume takes over owner and mode of its folder. DAILIES_UID gives the folders to the user that the containers run
# as, and to nobody else.
ARG DAILIES_UID=1000
ARG DAILIES_GID=1000
RUN install --directory --mode=0700 --owner="$DAILIES_UID" --group="$DAILIES_GID" /store /sandbox /work
# The last one keeps a worker's memory small; see docs/decisions/0029-memory.md.
ENV NODE_ENV=production HOME=/tmp DAILIES_STORE=/store MALLOC_ARENA_MAX=2
USER $DAILIES_UID:$DAILIES_GID
WORKDIR /work
ENTRYPOINT ["node", "/app/dist/scripts/dailies.js"]
CMD ["--help"]
