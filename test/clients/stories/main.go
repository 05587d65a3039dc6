// The story, told by the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"petstore/client"

	"github.com/oapi-codegen/nullable"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func to[T any](value T) *T { return &value }

func refused(problem *client.Error) string {
	if problem == nil {
		return "not refused"
	}
	return fmt.Sprintf("refused %d %s", problem.Status, problem.Code)
}

func main() {
	ctx := context.Background()
	petstore := must(client.NewClientWithResponses(os.Args[1]))

	category := must(petstore.CreateCategoryWithResponse(ctx, nil, client.NewCategory{Name: "Dogs"})).JSON201
	fmt.Println("category", category.Id, category.Name)

	rex := client.NewPet{Name: "Rex", CategoryId: category.Id}
	key := &client.CreatePetParams{IdempotencyKey: to("rex")}
	pet := must(petstore.CreatePetWithResponse(ctx, key, rex)).JSON201
	fmt.Println("pet", pet.Id, pet.Name, *pet.Status)
	fmt.Println("pet", must(petstore.CreatePetWithResponse(ctx, key, rex)).JSON201.Id, "again")
	tim := client.NewPet{Name: "Tim", CategoryId: category.Id, Status: to(client.PetStatusPending)}
	must(petstore.CreatePetWithResponse(ctx, nil, tim))
	tom := client.NewPet{Name: "Tom", CategoryId: category.Id, Status: to(client.PetStatusSold)}
	must(petstore.CreatePetWithResponse(ctx, nil, tom))
	statuses := []client.PetStatus{client.PetStatusAvailable, client.PetStatusPending}
	var names []string
	for _, one := range *must(petstore.ListPetsWithResponse(ctx, &client.ListPetsParams{Status: &statuses})).JSON200 {
		names = append(names, one.Name)
	}
	fmt.Println("list", strings.Join(names, " "))

	shipDate := time.Date(2026, 12, 24, 9, 0, 0, 0, time.UTC)
	placed := client.NewOrder{PetId: pet.Id, Quantity: to(int32(1)), ShipDate: &shipDate}
	order := must(petstore.PlaceOrderWithResponse(ctx, nil, placed)).JSON201
	fmt.Println("order", *order.Id, "ships", order.ShipDate.Unix())
	unschedule := client.OrderPatch{ShipDate: nullable.NewNullNullable[time.Time]()}
	unscheduled := must(petstore.UpdateOrderWithResponse(ctx, *order.Id, nil, unschedule)).JSON200
	if unscheduled.ShipDate == nil {
		fmt.Println("order", *unscheduled.Id, "has no ship date")
	}
	completed := must(petstore.UpdateOrderWithResponse(ctx, *order.Id, nil, client.OrderPatch{Complete: to(true)})).JSON200
	if *completed.Complete {
		fmt.Println("order", *completed.Id, "complete")
	}

	cancelled := must(petstore.CancelOrderWithResponse(ctx, *order.Id, nil))
	fmt.Println(refused((*client.Error)(cancelled.JSON409)))
	stale := &client.UpdatePetParams{IfMatch: to(`"stale"`)}
	updated := must(petstore.UpdatePetWithResponse(ctx, pet.Id, stale, client.PetPatch{Name: to("Max")}))
	fmt.Println(refused((*client.Error)(updated.JSON412)))
}
