# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build.mjs
COPY src src
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# The private Redis is for machines; a container has REDIS_URL. DATA_DIR is there for those who add one all the same.
ENV NODE_ENV=production DATA_DIR=/data
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY docker/healthcheck.mjs docker/healthcheck.mjs
USER node
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "docker/healthcheck.mjs"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
