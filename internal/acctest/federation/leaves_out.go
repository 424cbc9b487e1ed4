package federation

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// autoscalerAndBudget are an autoscaler and a disruption budget for the workload of [nginx].
const autoscalerAndBudget = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: my-nginx}
spec: {minReplicas: 2, maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: my-nginx}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: my-nginx}
spec: {minAvailable: 1, selector: {matchLabels: {run: my-nginx}}}
`

// LeavesOut checks that the copy of a workload omits objects that a KubeAdmiral host cluster does not place, with a warning, and that these objects stay on the
// member and block nothing.
func LeavesOut(t *testing.T, f Fleet) {
	w := world.New(t, f.Env, "leaves-out", f.Env.Hub, "member-1", "member-2", "member-3")
	w.PutAs("member-1", "kubectl-create", nginx("nginx:1.29")+autoscalerAndBudget)
	before := f.readState(w, "member-1")
	terraform := f.open(t, f.configure(t, w, onOne, ""))
	plan := planAndApply(t, terraform)
	checkContains(t, plan, "2 to take over on member-1", "needs 2 objects that the manifests lack",
		w.Expand("HorizontalPodAutoscaler $ns/my-nginx: KubeAdmiral sends an autoscaler to members only as a follower of its workload"),
		w.Expand("PodDisruptionBudget $ns/my-nginx: the KubeAdmiral host cluster has no FederatedTypeConfig for the kind PodDisruptionBudget of policy/v1"))
	f.checkUnchanged(w, "member-1", before)
	checkContains(t, run(t, terraform, "plan"), "No changes.")
	run(t, terraform, "destroy", "-auto-approve")
	f.checkUnchanged(w, "member-1", before)
	w.Must("member-1", "autoscaling/v2 HorizontalPodAutoscaler my-nginx")
	w.Must("member-1", "policy/v1 PodDisruptionBudget my-nginx")
}
