import { afterAll, beforeAll, expect, it } from 'vitest';
import { sample } from './sample.ts';
import { createWorld, endpoints, requestTo, type World } from './walk.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.app.close());

it.each(sample(endpoints))('$id can be called twice with the inputs of its record', async (endpoint) => {
  const first = await world.app.call({ ...(await requestTo(endpoint, world)), key: world.key.key });
  const second = await world.app.call({ ...(await requestTo(endpoint, world)), key: world.key.key });
  const { status } = endpoint.example.answer;
  expect([first.statusCode, second.statusCode, first.body]).toEqual([status, status, first.body]);
});
