package hubs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// webhooks set defaults of placements like KubeFleet's mutating webhook, and reject objects with "refused" in their name like its validating webhook. down is
// the number of requests to answer with status 500. behind is the number of requests that the validating webhook denies because it has not discovered a kind
// yet.
type webhooks struct{ down, behind atomic.Int64 }

func (w *webhooks) ServeHTTP(out http.ResponseWriter, request *http.Request) {
	if w.down.Add(-1) >= 0 {
		http.Error(out, "the hub agent is not ready", http.StatusInternalServerError)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	response := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if strings.HasSuffix(request.URL.Path, "/validate") {
		if w.behind.Add(-1) >= 0 {
			response.Allowed = false
			response.Result = &metav1.Status{Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden, Message: "deny create/update v1beta1 CRP has " +
				"invalid fields the resource is not found in schema (please retry) or it is not a cluster scoped resource: /v1, Kind=Namespace"}
		} else if strings.HasPrefix(review.Request.Name, "refused") {
			response.Allowed = false
			response.Result = &metav1.Status{Message: "the placement is refused by a rule of the hub", Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden}
		}
	} else if err := fillIn(review.Request.Object.Raw, response); err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	review.Request, review.Response = nil, response
	_ = json.NewEncoder(out).Encode(review)
}

func fillIn(raw []byte, response *admissionv1.AdmissionResponse) error {
	var crp wire.ClusterResourcePlacement
	if err := json.Unmarshal(raw, &crp); err != nil || crp.DeletionTimestamp != nil {
		return err
	}
	spec := convert.ToPlacementSpec(crp.Spec).Defaulted()
	if s := crp.Spec.Strategy; s == nil || s.DeleteStrategy == nil {
		spec.Strategy.DeleteStrategy = nil
	}
	var err error
	response.Patch, err = json.Marshal([]map[string]any{{"op": "replace", "path": "/spec", "value": convert.FromPlacementSpec(spec)}})
	response.PatchType = new(admissionv1.PatchTypeJSONPatch)
	return err
}

// install registers the webhooks on the hub until the test ends.
func (w *webhooks) install(h *hub) {
	h.Helper()
	server := httptest.NewTLSServer(w)
	h.Cleanup(server.Close)
	bundle := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for kind, path := range map[string]string{"Mutating": "mutate", "Validating": "validate"} {
		h.put(fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: fleet-%s}
webhooks:
  - name: %s.placement.kubernetes-fleet.io
    clientConfig: {url: "%s/%s", caBundle: %s}
    rules: [{apiGroups: [placement.kubernetes-fleet.io], apiVersions: [v1beta1], resources: [clusterresourceplacements], operations: [CREATE, UPDATE]}]
    matchPolicy: Equivalent
    failurePolicy: Fail
    sideEffects: None
    timeoutSeconds: 10
    admissionReviewVersions: [v1]
`, kind, path, path, server.URL, path, bundle))
	}
}

// With KubeFleet's webhooks a placement is stored with all defaults, reads as it was written, and is written once. A rejection is an error with the message
// of the webhook, and stores nothing. Webhooks that are temporarily unavailable, or have not discovered a kind yet, cause no error.
func TestWebhooks(t *testing.T) {
	h := newHub(t)
	hooks := &webhooks{}
	hooks.install(h)
	e := h.engine()
	h.join(e)
	for _, name := range []string{"webhooks", "refused-webhooks"} {
		h.put(content(name))
	}
	p := placing("webhooks")
	p.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{AllowCoOwnership: new(false), WhenToTakeOver: placement.TakeOverIfNoDiff}}
	hooks.down.Store(2)
	hooks.behind.Store(2)
	p = h.place(e, p)
	if left := max(hooks.down.Load(), hooks.behind.Load()); left > 0 {
		t.Errorf("the webhooks were not asked: %d", left)
	}
	recorded, err := e.ReadPlacement(t.Context(), p)
	if diff := cmp.Diff(p.Spec, recorded.Spec); diff != "" || err != nil {
		t.Error(err, diff)
	}
	h.Reset()
	if _, err := h.engine().ApplyPlacement(t.Context(), p, engine.ApplyOptions{WaitUntilAvailable: true}); err != nil {
		t.Error(err)
	}
	h.idle("a second apply writes")

	refused := placing("refused-webhooks")
	result, err := e.ApplyPlacement(t.Context(), refused, engine.ApplyOptions{Create: true})
	if result != nil || err == nil || !strings.Contains(err.Error(), "the placement is refused by a rule of the hub") {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := e.ReadPlacement(context.WithoutCancel(t.Context()), refused); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("what was refused is there: %v", err)
	}
}
