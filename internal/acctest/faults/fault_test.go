package faults

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// fault is a failure during an operation.
type fault struct {
	name string
	// begin starts the fault, and returns a function that ends it.
	begin func(l *life) (undo func())
	// running is called with the process ID of Terraform once it runs, nil for nothing.
	running func(pid int)
	// exclusive faults affect all lives: no other operation may run at the same time.
	exclusive bool
}

func (f fault) start(l *life) (undo func()) {
	if f.begin == nil {
		return func() {}
	}
	return f.begin(l)
}

func (f fault) started(pid int) {
	if f.running != nil {
		f.running(pid)
	}
}

// stopping keeps members running for all lives except the one that stops them.
var stopping sync.RWMutex

func (*life) background() context.Context { return context.Background() }

// faults returns all faults.
func faults() []fault {
	all := []fault{
		{name: "none"},
		request("latency", clusters.Fault{Delay: 100 * time.Millisecond}),
		afterWrites("credentials expire", clusters.Fault{Status: http.StatusUnauthorized}),
		request("conflicts", clusters.Fault{Match: clusters.Writes, Status: http.StatusConflict, Times: 4}),
		request("too many requests", clusters.Fault{Status: http.StatusTooManyRequests, RetryAfter: time.Second, Times: 6}),
		afterWrites("internal errors", clusters.Fault{Status: http.StatusInternalServerError, Times: 12}),
		afterWrites("unavailable", clusters.Fault{Status: http.StatusServiceUnavailable, Times: 12}),
		afterWrites("answers of writes are lost", clusters.Fault{Match: clusters.Writes, LoseResponse: true, Times: 8}),
		afterWrites("connections are cut", clusters.Fault{Refuse: true}),
		onOneMember("a member is cut off", clusters.Fault{Refuse: true}),
		onOneMember("a member does not answer", clusters.Fault{Delay: time.Hour}),
		signals("interrupt", false, syscall.SIGINT),
		signals("interrupt twice", false, syscall.SIGINT, syscall.SIGINT),
		signals("Terraform is killed", false, syscall.SIGKILL),
		signals("the provider is killed", true, syscall.SIGKILL),
		{name: "another client deletes an object", begin: duringWrites(deleteObject)},
		{name: "another client recreates an object", begin: duringWrites(replaceObject)},
		{name: "another client adds to a namespace", begin: duringWrites(moveIn)},
		{name: "a finalizer blocks a deletion", begin: duringWrites(block)},
		{name: "an object is being deleted", begin: terminating(false)},
		{name: "a namespace is being deleted", begin: terminating(true)},
		{name: "the record is deleted", begin: duringWrites(deleteRecord)},
		{name: "the record is damaged", begin: duringWrites(damageRecord)},
		{name: "another state applies", begin: rival(false)},
		{name: "a copy of the state applies", begin: rival(true)},
	}
	if env.CanStopMembers() {
		all = append(all, fault{name: "a member is stopped", begin: stopMember, exclusive: true})
	}
	return all
}

// request returns a fault that affects requests from the beginning.
func request(name string, f clusters.Fault) fault {
	return fault{name: name, begin: func(l *life) func() { return l.recorder.Inject(f) }}
}

// afterWrites returns a fault that affects requests after a random number of writes.
func afterWrites(name string, f clusters.Fault) fault {
	return fault{name: name, begin: func(l *life) func() { return l.recorder.Inject(after(l, f)) }}
}

// onOneMember returns a fault like afterWrites, but on only one member.
func onOneMember(name string, f clusters.Fault) fault {
	return fault{name: name, begin: func(l *life) func() {
		f := after(l, f)
		f.Context = pick(l.random, env.Members...)
		return l.recorder.Inject(f)
	}}
}

// after makes a fault begin at a random write.
func after(l *life, f clusters.Fault) clusters.Fault {
	var writes atomic.Int64
	first, match := int64(l.random.IntN(40)), f.Match
	f.Match = func(r clusters.Request) bool {
		n := writes.Load()
		if r.Write() {
			n = writes.Add(1)
		}
		return n > first && (match == nil || match(r))
	}
	return f
}

// atWrite calls do once, at a random write.
func atWrite(l *life, do func()) (undo func()) {
	var writes atomic.Int64
	nth := int64(1 + l.random.IntN(40))
	return l.recorder.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool { return r.Write() && writes.Add(1) == nth },
		Hook:  func(clusters.Request) { do() },
	})
}

// signals sends signals to Terraform, or to its provider process, at a random write.
func signals(name string, toProvider bool, signals ...syscall.Signal) fault {
	var pid atomic.Int64
	return fault{
		name:    name,
		running: func(terraform int) { pid.Store(int64(terraform)) },
		begin: func(l *life) func() {
			return atWrite(l, func() {
				target := int(pid.Load())
				if toProvider {
					target = child(target)
				}
				for _, signal := range signals {
					if process, err := os.FindProcess(target); err == nil && target > 0 {
						_ = process.Signal(signal)
					}
					time.Sleep(200 * time.Millisecond)
				}
			})
		},
	}
}

// child returns the process ID of the provider that a Terraform process runs, 0 for none.
func child(terraform int) int {
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if len(fields) > 1 && fields[1] == strconv.Itoa(terraform) && bytes.Contains(command, []byte("terraform-provider-fleet")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}

// duringWrites makes a change on a cluster at a random write.
func duringWrites(do func(l *life, cluster string) (undo func())) func(l *life) func() {
	return func(l *life) func() {
		var mu sync.Mutex
		undo, cluster := func() {}, pick(l.random, env.Members...)
		end := atWrite(l, func() {
			mu.Lock()
			defer mu.Unlock()
			undo = do(l, cluster)
		})
		return func() {
			end()
			mu.Lock()
			defer mu.Unlock()
			undo()
		}
	}
}

func deleteObject(l *life, cluster string) func() {
	ref := l.configMap(l.name, "c2")
	_ = l.on(cluster).Delete(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name)
	return func() {}
}

// replaceObject recreates an object as another client.
func replaceObject(l *life, cluster string) func() {
	ref := l.configMap(l.name, "c3")
	if l.find(cluster, ref) == nil {
		return func() {}
	}
	deleteIt := l.on(cluster).Delete(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name)
	if deleteIt == nil && l.find(cluster, ref) == nil {
		l.putIfPossible(cluster, ref, map[string]string{"number": "theirs"}, true)
	}
	return func() {}
}

// moveIn creates another client's object in a namespace of the placement.
func moveIn(l *life, cluster string) func() {
	namespace := l.find(cluster, fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: l.name})
	if namespace != nil && namespace.GetDeletionTimestamp() == nil {
		l.putIfPossible(cluster, l.configMap(l.name, "visitor"), map[string]string{"whose": "somebody's"}, false)
	}
	return func() {}
}

// putIfPossible creates an object during an apply. The apply may have created it first.
func (l *life) putIfPossible(cluster string, ref fixture.Ref, data map[string]string, mine bool) {
	text := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}}", ref.Name, ref.Namespace)
	objects, err := fixture.Parse([]byte(text))
	if err != nil {
		return
	}
	values := map[string]any{}
	for key, value := range data {
		values[key] = value
	}
	objects[0].Object["data"] = values
	stored, err := l.on(cluster).Add(l.background(), objects[0], false)
	if err == nil {
		l.foreign[cluster][ref] = stranger{uid: string(stored.GetUID()), data: data, mine: mine}
	}
}

// terminating lets another client delete an object of the placement, or its Namespace, before the operation begins. A finalizer of the object blocks both.
func terminating(namespace bool) func(l *life) func() {
	return func(l *life) func() {
		cluster, ref := pick(l.random, env.Members...), l.configMap(l.name, "c4")
		if l.find(cluster, ref) == nil {
			return func() {}
		}
		unblock := block(l, cluster)
		if namespace {
			maps.DeleteFunc(l.foreign[cluster], func(foreign fixture.Ref, _ stranger) bool { return foreign.Namespace == l.name })
			ref = fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: l.name}
		}
		if err := l.on(cluster).Drop(l.background(), l.find(cluster, ref)); err != nil {
			l.Error(err)
		}
		if u := l.find(cluster, ref); u == nil || u.GetDeletionTimestamp() == nil {
			l.Errorf("%s is not being deleted: %v", ref, u)
		}
		return unblock
	}
}

// block adds a finalizer to an object, which keeps it from being deleted until the returned function is called.
func block(l *life, cluster string) func() {
	ref := l.configMap(l.name, "c4")
	const add, remove = `{"metadata":{"finalizers":["example.com/hold"]}}`, `{"metadata":{"finalizers":null}}`
	_ = l.on(cluster).Patch(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name, add)
	return func() {
		_ = l.on(cluster).Patch(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name, remove)
	}
}

func (l *life) record() fixture.Ref { return l.configMap("fleet-system", "placement-"+l.name) }

func deleteRecord(l *life, cluster string) func() {
	ref := l.record()
	if l.find(cluster, ref) != nil {
		l.lost = true
		_ = l.on(cluster).Delete(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name)
	}
	return func() {}
}

// damageRecord makes a record unreadable until another client restores its old content, which does not verify if the provider has changed the record since.
func damageRecord(l *life, cluster string) func() {
	ref := l.record()
	u := l.find(cluster, ref)
	if u == nil {
		return func() {}
	}
	whole := content(u)["objects.json"]
	patch := func(text string) {
		_ = l.on(cluster).Patch(l.background(), ref.APIVersion, ref.Kind, ref.Namespace, ref.Name, fmt.Sprintf(`{"data":{"objects.json":%q}}`, text))
	}
	l.lost = true
	patch("[")
	return func() { patch(whole) }
}

// rival runs another Terraform with the same operation at the same time: with its own state, or with a copy of the state.
func rival(copied bool) func(l *life) func() {
	return func(l *life) func() {
		other := newWorkspace(l.T, l.configuration())
		if state, err := os.ReadFile(filepath.Join(l.Dir, "terraform.tfstate")); err == nil && copied {
			if err := os.WriteFile(filepath.Join(other.Dir, "terraform.tfstate"), state, 0o600); err != nil {
				l.Fatal(err)
			}
		}
		done := make(chan string, 1)
		go func() {
			out, err := other.Run(l.background(), nil, l.arguments()...)
			done <- fmt.Sprintf("--- the rival: %v\n%s\n", err, out)
		}()
		return func() {
			l.log.WriteString(<-done)
			// Whichever of the two succeeded has the state.
			if state, err := os.ReadFile(filepath.Join(other.Dir, "terraform.tfstate")); err == nil && l.stateless() && bytes.Contains(state, []byte(`"fleet_crp"`)) {
				_ = os.WriteFile(filepath.Join(l.Dir, "terraform.tfstate"), state, 0o600)
			}
		}
	}
}

func stopMember(l *life) func() {
	cluster := pick(l.random, env.Members...)
	var once sync.Once
	end := atWrite(l, func() { once.Do(func() { _ = env.StopMember(l.background(), cluster) }) })
	return func() {
		end()
		once.Do(func() {})
		if err := env.StartMember(l.background(), cluster); err != nil {
			l.Error(err)
		}
	}
}
