// Validates an OpenAPI document as kin-openapi does, with its patterns as Go's regular expressions.
package main

import (
	"context"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	document, err := openapi3.NewLoader().LoadFromFile(os.Args[1])
	if err == nil {
		err = document.Validate(context.Background())
	}
	if err != nil {
		panic(err)
	}
}
