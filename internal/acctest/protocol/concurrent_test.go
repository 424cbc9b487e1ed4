package protocol

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Terraform plans and applies several resources in parallel with one provider process.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	var blocks strings.Builder
	for i := range 6 {
		fmt.Fprintf(&blocks, `
resource "fleet_crp" "p%d" {
  name      = "concurrent-%d"
  manifests = { "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: concurrent-%d, namespace: default}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-%d"] }
}
resource "fleet_resource_override" "o%d" {
  name               = "o%d"
  namespace          = "concurrent"
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web-%d" }]
  policy             = { override_rules = [{ cluster_selector = { cluster_selector_terms = [] }, override_type = "Delete" }] }
}
`, i, i, i, i%3+1, i, i, i)
	}
	r, ok := begin(configured(t, blocks.String()))
	if !ok || !r.validate(t.Context()) || !r.configure(t.Context()) {
		t.Fatal(r.result())
	}
	each := func(do func(p *process, b block)) {
		t.Helper()
		var all sync.WaitGroup
		for _, b := range r.blocks {
			all.Go(func() {
				p := &process{server: r.server, schemas: r.schemas, diagnostics: &diagnostics{}}
				if do(p, b); p.failed {
					t.Errorf("%s: %s", b.address(), strings.Join(p.texts, "\n"))
				}
			})
		}
		all.Wait()
	}
	names := r.scope.context()
	var mu sync.Mutex
	applied := map[string]*object{}
	planned := func(p *process, b block) (Change, bool) {
		config, ok := p.validate(t.Context(), b, names)
		if !ok {
			return Change{}, false
		}
		return p.plan(t.Context(), b, nil, config)
	}
	each(func(p *process, b block) { planned(p, b) })
	if !r.start() || !r.configure(t.Context()) {
		t.Fatal(r.result())
	}
	each(func(p *process, b block) {
		change, ok := planned(p, b)
		if !ok {
			return
		}
		left, _ := p.apply(t.Context(), b, change)
		mu.Lock()
		defer mu.Unlock()
		applied[b.address()] = left
	})
	each(func(p *process, b block) {
		found, ok := p.refresh(t.Context(), b, applied[b.address()])
		if !ok || found == nil {
			t.Errorf("%s was not found", b.address())
			return
		}
		change, ok := p.plan(t.Context(), b, found, r.resources[b.typeName].null())
		if !ok {
			return
		}
		if left, _ := p.apply(t.Context(), b, change); left != nil {
			t.Errorf("%s was not removed", b.address())
		}
	})
}
