import 'reflect-metadata';
import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import Database from 'better-sqlite3';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { DataSource, EntitySchema } from 'typeorm';

/*
 * NestJS on Express with TypeORM, as their documentation shows them: repositories, validation pipes, and a transaction for each
 * order. Plain JavaScript, whose decorators are applied by calls, so that nothing is compiled. DATABASE_URL is sqlite: and a file.
 */

const id = { type: 'integer', primary: true, generated: true };
const number = { type: 'integer' };
const text = { type: 'text' };
const entity = (name, tableName, columns) => new EntitySchema({ name, tableName, columns });

const Pet = entity('Pet', 'pets', {
  id,
  name: text,
  nameKey: { ...text, name: 'name_key' },
  categoryId: { ...number, name: 'category_id' },
  quantity: number,
  reserved: number,
  held: number,
  status: text,
});
const Order = entity('Order', 'orders', {
  id,
  petId: { ...number, name: 'pet_id' },
  quantity: number,
  shipDate: { ...number, name: 'ship_date', nullable: true },
  complete: number,
});
const Movement = entity('Movement', 'movements', {
  id,
  petId: { ...number, name: 'pet_id' },
  kind: text,
  quantity: number,
  reserved: number,
  orderId: { ...number, name: 'order_id', nullable: true },
  at: number,
});
const Event = entity('Event', 'events', { position: id, type: text, data: text, at: number });

const source = await new DataSource({
  type: 'better-sqlite3',
  driver: Database,
  database: (process.env.DATABASE_URL ?? '').slice('sqlite:'.length),
  entities: [Pet, Order, Movement, Event],
  prepareDatabase: (database) => {
    for (const pragma of ['journal_mode = wal', 'synchronous = full', 'wal_autocheckpoint = 10000']) {
      database.pragma(pragma);
    }
  },
}).initialize();

const toJson = ({ id, name, categoryId, status }) => ({ id, name, categoryId, status });

class ListQuery {}
decorate(ListQuery, { status: [IsIn(['available', 'pending', 'sold'])] });
decorate(ListQuery, { categoryId: [Type(() => Number), IsInt(), Min(1)] });
decorate(ListQuery, { limit: [Type(() => Number), IsInt(), Min(1), Max(100)] });

class NewOrder {}
decorate(NewOrder, { petId: [IsInt(), Min(1)], quantity: [IsOptional(), IsInt(), Min(1), Max(1_000_000)] });

class PetController {
  async getOne(petId) {
    const pet = await source.getRepository(Pet).findOneBy({ id: petId });
    if (!pet) throw new NotFoundException();
    return toJson(pet);
  }

  async list({ status, categoryId, limit }) {
    const pets = await source
      .getRepository(Pet)
      .find({ where: { status, categoryId }, order: { id: 'ASC' }, take: limit });
    return pets.map(toJson);
  }

  order({ petId, quantity = 1 }) {
    return source.transaction(async (manager) => {
      const pet = await manager.findOneBy(Pet, { id: petId });
      if (pet?.status !== 'available' || quantity > pet.quantity - pet.reserved) throw new ConflictException();
      pet.reserved += quantity;
      if (pet.reserved === pet.quantity) pet.status = 'pending';
      await manager.save(Pet, pet);
      const { id } = await manager.save(Order, { petId, quantity, complete: 0 });
      const order = { id, petId, quantity, complete: false };
      const at = Date.now();
      await manager.save(Movement, { petId, kind: 'reserved', quantity: 0, reserved: quantity, orderId: id, at });
      await manager.save(Event, { type: 'order.placed', data: JSON.stringify(order), at });
      return order;
    });
  }
}
decorate(PetController, {
  getOne: [Get('store/pets/:petId'), argument(Param('petId', ParseIntPipe))],
  list: [Get('pets'), argument(Query(), ListQuery)],
  order: [Post('store/orders'), HttpCode(201), argument(Body(), NewOrder)],
});
Controller()(PetController);

class AppModule {}
Module({ controllers: [PetController] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(0, '127.0.0.1');
console.log(await app.getUrl());
process.once('SIGTERM', async () => {
  app.getHttpServer().closeAllConnections();
  await app.close();
  await source.destroy();
});

/** Applies decorators to members of a class. */
function decorate({ prototype }, members) {
  for (const [name, decorators] of Object.entries(members)) {
    Reflect.decorate(decorators, prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
  }
}

/** A decorator of the first argument of a method, and its type. */
function argument(decorator, type = Number) {
  return (prototype, name) => {
    Reflect.defineMetadata('design:paramtypes', [type], prototype, name);
    decorator(prototype, name, 0);
  };
}
