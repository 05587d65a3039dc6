import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Collectors;
import petstore.ApiClient;
import petstore.ApiException;
import petstore.api.PetsApi;
import petstore.api.StoreApi;
import petstore.model.Category;
import petstore.model.Error;
import petstore.model.NewCategory;
import petstore.model.NewOrder;
import petstore.model.NewPet;
import petstore.model.Order;
import petstore.model.OrderPatch;
import petstore.model.Pet;
import petstore.model.PetPatch;
import petstore.model.PetStatus;

/** The story, told by the Java client of openapi-generator. */
public final class Story {
  private interface Call {
    void run() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    PetsApi pets = new PetsApi(client);
    StoreApi store = new StoreApi(client);

    Category category = pets.createCategory(new NewCategory().name("Dogs"), null);
    System.out.println("category " + category.getId() + " " + category.getName());

    NewPet rex = new NewPet().name("Rex").categoryId(category.getId());
    Pet pet = pets.createPet(rex, "rex");
    System.out.println("pet " + pet.getId() + " " + pet.getName() + " " + pet.getStatus());
    System.out.println("pet " + pets.createPet(rex, "rex").getId() + " again");
    pets.createPet(new NewPet().name("Tim").categoryId(category.getId()).status(PetStatus.PENDING), null);
    pets.createPet(new NewPet().name("Tom").categoryId(category.getId()).status(PetStatus.SOLD), null);
    List<PetStatus> statuses = List.of(PetStatus.AVAILABLE, PetStatus.PENDING);
    List<Pet> listed = pets.listPets(statuses, null, null, null, null, null, null, null, null);
    System.out.println("list " + listed.stream().map(Pet::getName).collect(Collectors.joining(" ")));

    OffsetDateTime shipDate = OffsetDateTime.parse("2026-12-24T09:00:00Z");
    Order order = store.placeOrder(new NewOrder().petId(pet.getId()).quantity(1).shipDate(shipDate), null);
    System.out.println("order " + order.getId() + " ships " + order.getShipDate().toEpochSecond());
    Order unscheduled = store.updateOrder(order.getId(), new OrderPatch().shipDate(null), null, null);
    String shown = unscheduled.getShipDate() == null ? "has no ship date" : "ships";
    System.out.println("order " + unscheduled.getId() + " " + shown);
    Order completed = store.updateOrder(order.getId(), new OrderPatch().complete(true), null, null);
    System.out.println("order " + completed.getId() + " " + (completed.getComplete() ? "complete" : "open"));

    System.out.println(refused(client, () -> store.cancelOrder(order.getId(), null)));
    System.out.println(
        refused(client, () -> pets.updatePet(pet.getId(), new PetPatch().name("Max"), "\"stale\"", null)));
  }

  private static String refused(ApiClient client, Call call) throws Exception {
    try {
      call.run();
      return "not refused";
    } catch (ApiException exception) {
      Error error = client.getObjectMapper().readValue(exception.getResponseBody(), Error.class);
      return "refused " + error.getStatus() + " " + error.getCode();
    }
  }
}
