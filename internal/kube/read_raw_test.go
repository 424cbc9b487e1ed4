package kube

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// deploymentList returns a LIST answer with count Deployments, encoded like an API server's.
func deploymentList(count int) []byte {
	var items []string
	for i := range count {
		name := fmt.Sprintf("web-%d", i)
		items = append(items, strings.ReplaceAll(`{"metadata":{"name":"NAME","namespace":"default","uid":"c1d7a5a5-5b52-4a52-9a6c-2b8a1f0c7a11",`+
			`"resourceVersion":"4711","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"NAME","team":"web"},`+
			`"annotations":{"deployment.kubernetes.io/revision":"1"},"managedFields":[{"manager":"terraform-provider-fleet","operation":"Apply",`+
			`"apiVersion":"apps/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{},"f:team":{}}},`+
			`"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":`+
			`{".":{},"f:env":{"k:{\"name\":\"LEVEL\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":8080,`+
			`\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{}}},"f:resources":{"f:limits":{"f:memory":{}},"f:requests":{"f:cpu":{},`+
			`"f:memory":{}}}}}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"NAME"}},"template":{"metadata":{"labels":{"app":"NAME"}},`+
			`"spec":{"containers":[{"name":"web","image":"registry.example/web:1.2.3","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],`+
			`"env":[{"name":"LEVEL","value":"info"}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},`+
			`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],`+
			`"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},`+
			`"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},`+
			`"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}`, "NAME", name))
	}
	return []byte(`{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"4712","continue":"more"},"items":[` + strings.Join(items, ",") + `]}`)
}

func TestParsePageIsLikeClientGo(t *testing.T) {
	for name, body := range map[string][]byte{
		"built-in": deploymentList(3),
		"custom":   []byte(`{"apiVersion":"g/v1","items":[{"apiVersion":"g/v1","kind":"Widget","metadata":{"labels":{"n":"1"},"name":"w"},"size":1.5}],"kind":"WidgetList","metadata":{"continue":"more"}}`),
		"escaped":  []byte(`{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"continue":"more"},"items":[{"metadata":{"name":"\u0061b"}},{"metadata":{}},{"data":{"name":"c"}}]}`),
		"numbers":  []byte(`{"apiVersion":"v1","kind":"XList","metadata":{"continue":"more"},"items":[{"metadata":{"name":"a"},"n":[1,9007199254740993,1.5,-0]}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			var want unstructured.UnstructuredList
			if err := want.UnmarshalJSON(body); err != nil {
				t.Fatal(err)
			}
			page, err := parsePage(body)
			if err != nil || page.Metadata.Continue != "more" || len(page.Items) != len(want.Items) {
				t.Fatalf("%+v, %v", page, err)
			}
			for i, item := range page.Items {
				got, err := item.decode()
				if err != nil || item.name != want.Items[i].GetName() || !reflect.DeepEqual(got.Object, want.Items[i].Object) {
					t.Errorf("%q, %v, %v\nwant %v", item.name, err, got, want.Items[i].Object)
				}
			}
		})
	}
}

// BenchmarkDecodeList compares our decoding of 200 Deployments with client-go's.
func BenchmarkDecodeList(b *testing.B) {
	body := deploymentList(200)
	if !json.Valid(body) {
		b.Fatal("no JSON")
	}
	run := func(name string, decode func() int) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if count := decode(); count != 200 {
					b.Fatal(count)
				}
			}
		})
	}
	run("kube", func() int {
		page, err := parsePage(body)
		if err != nil {
			b.Fatal(err)
		}
		objects, err := listFilter{}.pick(page.Items)
		if err != nil {
			b.Fatal(err)
		}
		return len(objects)
	})
	run("names", func() int {
		page, err := parsePage(body)
		if err != nil {
			b.Fatal(err)
		}
		return len(page.Items)
	})
	run("client-go", func() int {
		var list unstructured.UnstructuredList
		if err := list.UnmarshalJSON(body); err != nil {
			b.Fatal(err)
		}
		return len(list.Items)
	})
}

func TestOutline(t *testing.T) {
	seen := Seen{UID: "u1", ResourceVersion: "7"}
	for name, test := range map[string]struct {
		text string
		same bool
	}{
		"same":                           {`{"metadata":{"name":"a","namespace":"n","uid":"u1","resourceVersion":"7","labels":{"x":"y"}},"data":{}}`, true},
		"no namespace":                   {`{"metadata":{"name":"a","uid":"u1","resourceVersion":"7","generation":1}}`, true},
		"generated name":                 {`{"metadata":{"name":"a","generateName":"x","uid":"u1","resourceVersion":"7","generation":1}}`, true},
		"changed":                        {`{"metadata":{"name":"a","namespace":"n","uid":"u1","resourceVersion":"8","labels":{}}}`, false},
		"recreated":                      {`{"metadata":{"name":"a","namespace":"n","uid":"u2","resourceVersion":"7","labels":{}}}`, false},
		"in a label":                     {`{"metadata":{"name":"a","labels":{"uid":"u1","resourceVersion":"7","x":"y"}}}`, false},
		"after a label":                  {`{"metadata":{"name":"a","labels":{"x":"y"},"uid":"u1","resourceVersion":"7","z":1}}`, false},
		"escaped":                        {`{"metadata":{"name":"a","uid":"u\u0031","resourceVersion":"7","z":1}}`, false},
		"of a definition":                {`{"apiVersion":"v1","kind":"K","metadata":{"name":"a","uid":"u1","resourceVersion":"7","z":1}}`, false},
		"cut off":                        {`{"metadata":{"name":"a","uid":"u1","resourceVersion":"7`, false},
		"nothing":                        {``, false},
		"no such fields":                 {`{"metadata":{"name":"a","namespace":"n"}}`, false},
		"numbers, which no server sends": {`{"metadata":{"name":"a","uid":"u1","resourceVersion":7,"z":1}}`, false},
		"its version ends the texts":     {`{"metadata":{"name":"a","uid":"u1","resourceVersion":"7"}}`, false},
	} {
		raw := rawObject{name: "a", text: []byte(test.text), apiVersion: "v1", kind: "ConfigMap"}
		outline, same := raw.outline(seen)
		if same != test.same {
			t.Errorf("%s: same is %t", name, same)
		}
		if same && (outline.GetName() != "a" || outline.GetUID() != "u1" || outline.GetResourceVersion() != "7" || outline.GetKind() != "ConfigMap") {
			t.Errorf("%s: %v", name, outline.Object)
		}
	}
	if _, same := (rawObject{text: []byte(`{"metadata":{"name":"a"}}`)}).outline(Seen{}); same {
		t.Error("an object without a known version counts as unchanged")
	}
}
