// Command terraform-provider-fleet places Kubernetes resources on a fleet of clusters.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run so that a debugger can be attached, and print how Terraform finds the provider")
	flag.Parse()
	if err := app.Serve(context.Background(), version, *debug); err != nil {
		log.Fatal(err)
	}
}
