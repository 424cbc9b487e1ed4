package kubefleet_test

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"

// What differs in several of the failures.
const (
	fieldLeaves    = "the preview does not name what leaves the manifest"
	otherManager   = "the preview takes the agent for another manager than the one that will write"
	unknownField   = "the preview does not foresee that the API server does not accept, or drops, a field that it does not know"
	fullComparison = "the preview observes other differences of a Secret with stringData"
	refused        = "the provider refuses the envelope, so that nothing is foreseen"
)

// failures are cases of the contract that fail, and of which nobody has decided whether the engine or the case is to change. A case that is mended
// has to go from the list; one that differs for a reason belongs to the deviations.
var failures = enginetest.Failures{
	"41 server-side apply against kubectl":                                                          {Why: "a conflict is foreseen in words of the provider"},
	"R3 ours, and a key has left the manifest":                                                      {Why: "a hub has what is placed before it hears that it is only to be reported on"},
	"28 Job, other completions, ReportDiff":                                                         {Why: "differences are reported of an object that was compared in degraded mode"},
	"48 placement deleted":                                                                          {Why: "the object goes with the placement, whoever else owns it"},
	"35 a kind with its definition":                                                                 {Why: "the object is foreseen to be created once its kind is served"},
	"47 removed from the placement while drifted":                                                   {Why: "the object is foreseen to go, and stays"},
	"46 removed from the placement, and another owner":                                              {Why: "the object keeps what marks it as the placement's"},
	"Secret quoted by a policy that forbids it":                                                     {Why: "the takeover is refused, and not the apply after it"},
	"a field of a ConfigMap leaves the manifest, from client-side to server-side apply":             {Why: fieldLeaves},
	"a field of a ConfigMap leaves the manifest, from server-side to client-side apply":             {Why: fieldLeaves},
	"a field of a ConfigMap leaves the manifest, server-side apply":                                 {Why: fieldLeaves},
	"a field of a ConfigMap leaves the manifest, server-side apply with force":                      {Why: fieldLeaves},
	"a field of a Deployment leaves the manifest, from client-side to server-side apply":            {Why: fieldLeaves},
	"a field of a Deployment leaves the manifest, from server-side to client-side apply":            {Why: fieldLeaves},
	"a field of a Deployment leaves the manifest, server-side apply":                                {Why: fieldLeaves},
	"a field of a Deployment leaves the manifest, server-side apply with force":                     {Why: fieldLeaves},
	"a field of a Deployment's replicas leaves the manifest, from client-side to server-side apply": {Why: fieldLeaves},
	"a field of a Deployment's replicas leaves the manifest, from server-side to client-side apply": {Why: fieldLeaves},
	"a field of a Deployment's replicas leaves the manifest, server-side apply":                     {Why: fieldLeaves},
	"a field of a Deployment's replicas leaves the manifest, server-side apply with force":          {Why: fieldLeaves},
	"a field of a Namespace leaves the manifest, from client-side to server-side apply":             {Why: fieldLeaves},
	"a field of a Namespace leaves the manifest, from server-side to client-side apply":             {Why: fieldLeaves},
	"a field of a Namespace leaves the manifest, server-side apply":                                 {Why: fieldLeaves},
	"a field of a Namespace leaves the manifest, server-side apply with force":                      {Why: fieldLeaves},
	"a field of a Secret leaves the manifest, client-side apply":                                    {Why: fieldLeaves},
	"a field of a Secret leaves the manifest, from client-side to server-side apply":                {Why: fieldLeaves},
	"a field of a Secret leaves the manifest, from server-side to client-side apply":                {Why: fieldLeaves},
	"a field of a Secret leaves the manifest, server-side apply":                                    {Why: fieldLeaves},
	"a field of a Secret leaves the manifest, server-side apply with force":                         {Why: fieldLeaves},
	"a field of a Service leaves the manifest, from client-side to server-side apply":               {Why: fieldLeaves},
	"a field of a Service leaves the manifest, from server-side to client-side apply":               {Why: fieldLeaves},
	"a field of a Service leaves the manifest, server-side apply":                                   {Why: fieldLeaves},
	"a field of a Service leaves the manifest, server-side apply with force":                        {Why: fieldLeaves},
	"a field of a Service's only port leaves the manifest, from client-side to server-side apply":   {Why: fieldLeaves},
	"a field of a Service's only port leaves the manifest, from server-side to client-side apply":   {Why: fieldLeaves},
	"a field of a Service's only port leaves the manifest, server-side apply":                       {Why: fieldLeaves},
	"a field of a Service's only port leaves the manifest, server-side apply with force":            {Why: fieldLeaves},
	"applied on the server's side before, now on the client's":                                      {Why: fieldLeaves},
	"what others have added stays on the way from the server's to the client's side":                {Why: fieldLeaves},
	"33 Secret with stringData, full comparison":                                                    {Why: fullComparison},
	"IfNoDiff, full comparison with stringData":                                                     {Why: fullComparison},
	"full comparison after the apply":                                                               {Why: fullComparison},
	"40 Deployment, ours, server-side apply":                                                        {Why: otherManager},
	"a field beside another manager's under server-side apply":                                      {Why: otherManager},
	"37 generateName only":                                {Why: refused},
	"38 the same object twice":                            {Why: refused},
	"an unknown field in a namespace that comes with it":  {Why: unknownField},
	"an unknown field is added":                           {Why: unknownField},
	"an unknown field is created":                         {Why: unknownField},
	"an unknown field is created under server-side apply": {Why: unknownField},
	"an unknown field would be taken over":                {Why: unknownField},
}
