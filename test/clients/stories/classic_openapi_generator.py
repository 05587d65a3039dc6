"""The story of the classic petstore, told by the Python client of openapi-generator."""

import json
import sys

from classic_client import ApiClient, ApiException, Configuration
from classic_client.api import PetApi, StoreApi
from classic_client.models import Category, Order, Pet, Tag

url = sys.argv[1]
is_v2 = url.endswith("/v2")


def refused(call) -> str:
    try:
        call()
    except ApiException as error:
        return f"refused {error.status} {json.loads(error.body)['message']}"
    return "not refused"


with ApiClient(Configuration(host=url)) as client:
    pets = PetApi(client)
    store = StoreApi(client)

    doggie = Pet(
        id=820001,
        category=Category(name="Dogs"),
        name="doggie",
        photo_urls=["https://pictures.example/doggie.png"],
        tags=[Tag(name="friendly")],
    )
    pets.add_pet(doggie)
    pet = pets.get_pet_by_id(820001)
    print(f"pet {pet.id} {pet.name} {pet.status} {pet.category.name} {pet.tags[0].name}")
    by_status = pets.find_pets_by_status(["available", "pending"]) if is_v2 else pets.find_pets_by_status()
    by_tags = pets.find_pets_by_tags(["friendly"])
    print(f"found {by_status[0].id} {by_tags[0].id}")
    form = pets.update_pet_with_form(820001, name="Rex")
    print(f"form {form.message}" if is_v2 else f"form {form.id} {form.name}")
    order = store.place_order(Order(id=77, pet_id=820001, quantity=1))
    print(f"order {order.id} for {order.pet_id} {order.status}")
    print(refused(lambda: store.place_order(Order(pet_id=820001, quantity=1))))
    store.delete_order(77)
    print("cancelled")
    picture = b"12345"
    sent = pets.upload_file(820001, file=("doggie.png", picture)) if is_v2 else pets.upload_file(820001, body=picture)
    print(f"picture {sent.message}")
    pets.delete_pet(820001)
    print("deleted")
    print(refused(lambda: pets.get_pet_by_id(820001)))
