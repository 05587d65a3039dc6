"""The story, told by the client of openapi-python-client."""

import datetime
import sys

from petstore_client import Client
from petstore_client.api.pets import create_category, create_pet, list_pets, update_pet
from petstore_client.api.store import cancel_order, place_order, update_order
from petstore_client.models import Error, NewCategory, NewOrder, NewPet, OrderPatch, PetPatch, PetStatus
from petstore_client.types import UNSET


def refused(result) -> str:
    return f"refused {result.status} {result.code}" if isinstance(result, Error) else "not refused"


client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)

category = create_category.sync(client=client, body=NewCategory(name="Dogs"))
print(f"category {category.id} {category.name}")

rex = NewPet(name="Rex", category_id=category.id)
pet = create_pet.sync(client=client, body=rex, idempotency_key="rex")
print(f"pet {pet.id} {pet.name} {pet.status.value}")
print(f"pet {create_pet.sync(client=client, body=rex, idempotency_key='rex').id} again")
create_pet.sync(client=client, body=NewPet(name="Tim", category_id=category.id, status=PetStatus.PENDING))
create_pet.sync(client=client, body=NewPet(name="Tom", category_id=category.id, status=PetStatus.SOLD))
listed = list_pets.sync(client=client, status=[PetStatus.AVAILABLE, PetStatus.PENDING])
print("list", *(one.name for one in listed))

ship_date = datetime.datetime(2026, 12, 24, 9, tzinfo=datetime.timezone.utc)
order = place_order.sync(client=client, body=NewOrder(pet_id=pet.id, quantity=1, ship_date=ship_date))
print(f"order {order.id} ships {int(order.ship_date.timestamp())}")
unscheduled = update_order.sync(order.id, client=client, body=OrderPatch(ship_date=None))
print(f"order {unscheduled.id} {'has no ship date' if unscheduled.ship_date is UNSET else 'ships'}")
completed = update_order.sync(order.id, client=client, body=OrderPatch(complete=True))
print(f"order {completed.id} {'complete' if completed.complete else 'open'}")

print(refused(cancel_order.sync(order.id, client=client)))
print(refused(update_pet.sync(pet.id, client=client, body=PetPatch(name="Max"), if_match='"stale"')))
