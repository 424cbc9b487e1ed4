package kubeadmiral_test

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// supply creates the Namespaces of the objects on the host, before the objects are created there.
func supply(w *enginetest.World, request enginetest.Request) enginetest.Supplied {
	w.Helper()
	made, wanted := map[string]bool{}, map[string]bool{}
	for _, text := range request.Manifests {
		objects, err := fixture.Parse([]byte(text))
		if err != nil {
			w.Fatal(err)
		}
		for _, u := range objects {
			if u.GetKind() == "Namespace" {
				made[u.GetName()] = true
			} else if u.GetNamespace() != "" {
				wanted[u.GetNamespace()] = true
			}
		}
	}
	for name := range wanted {
		if !made[name] {
			if err := w.On(w.Env.Hub).Create(w.Context(), fmt.Appendf(nil, "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", name)); err != nil {
				w.Fatal(err)
			}
		}
	}
	return enginetest.Supplied{Request: request}
}
