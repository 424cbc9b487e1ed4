package kubefleet_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
)

// The engine does not retry writing owner references forever if others keep changing the object.
func TestOwnersOfAChangingObject(t *testing.T) {
	t.Parallel()
	for name, operation := range map[string]func(context.Context, *handOver) error{
		"moved by an apply": func(ctx context.Context, h *handOver) error {
			_, err := h.web.Apply(ctx, h.Engine())
			return err
		},
		"kept by a removal": func(ctx context.Context, h *handOver) error {
			_, err := h.bulk.Delete(ctx, h.Engine())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandOver(t, 1)
			web, _ := h.plan()
			h.removal(web)
			var writes atomic.Int32
			defer h.Inject(clusters.Fault{
				Context: h.Members[0], Status: http.StatusConflict, Hook: func(clusters.Request) { writes.Add(1) },
				Match: func(r clusters.Request) bool { return r.Write() && strings.HasSuffix(r.Path, "/configmaps/db") },
			})()
			ctx, cancel := context.WithTimeout(h.Context(), 20*time.Second)
			defer cancel()
			err := operation(ctx, h)
			if _, changing := errors.AsType[*engine.ChangingObjectError](err); !changing || !strings.Contains(err.Error(), h.Expand("ConfigMap $ns-db/db")) || writes.Load() != controlplane.Attempts {
				t.Errorf("after %d writes: %v", writes.Load(), err)
			}
			h.kept("after the conflicts")
		})
	}
}
