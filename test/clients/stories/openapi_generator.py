"""The story, told by the Python client of openapi-generator."""

import datetime
import json
import sys

from petstore_client import ApiClient, ApiException, Configuration
from petstore_client.api import PetsApi, StoreApi
from petstore_client.models import NewCategory, NewOrder, NewPet, OrderPatch, PetPatch, PetStatus


def refused(call) -> str:
    try:
        call()
    except ApiException as error:
        facts = json.loads(error.body)
        return f"refused {facts['status']} {facts['code']}"
    return "not refused"


with ApiClient(Configuration(host=sys.argv[1])) as client:
    pets = PetsApi(client)
    store = StoreApi(client)

    category = pets.create_category(NewCategory(name="Dogs"))
    print(f"category {category.id} {category.name}")

    rex = NewPet(name="Rex", category_id=category.id)
    pet = pets.create_pet(rex, idempotency_key="rex")
    print(f"pet {pet.id} {pet.name} {pet.status.value}")
    print(f"pet {pets.create_pet(rex, idempotency_key='rex').id} again")
    pets.create_pet(NewPet(name="Tim", category_id=category.id, status=PetStatus.PENDING))
    pets.create_pet(NewPet(name="Tom", category_id=category.id, status=PetStatus.SOLD))
    listed = pets.list_pets(status=[PetStatus.AVAILABLE, PetStatus.PENDING])
    print("list", *(one.name for one in listed))

    ship_date = datetime.datetime(2026, 12, 24, 9, tzinfo=datetime.timezone.utc)
    order = store.place_order(NewOrder(pet_id=pet.id, quantity=1, ship_date=ship_date))
    print(f"order {order.id} ships {int(order.ship_date.timestamp())}")
    unscheduled = store.update_order(order.id, OrderPatch(ship_date=None))
    print(f"order {unscheduled.id} {'has no ship date' if unscheduled.ship_date is None else 'ships'}")
    completed = store.update_order(order.id, OrderPatch(complete=True))
    print(f"order {completed.id} {'complete' if completed.complete else 'open'}")

    print(refused(lambda: store.cancel_order(order.id)))
    print(refused(lambda: pets.update_pet(pet.id, PetPatch(name="Max"), if_match='"stale"')))
