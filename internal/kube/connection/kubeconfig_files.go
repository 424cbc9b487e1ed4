package connection

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// settledAfter is how long a file must have been left alone for its time and size to tell that it is the same: clocks of file systems are
// coarse, and a credential helper may write twice in a moment.
const settledAfter = 2 * time.Second

// kubeconfigFiles keeps the parsed content of kubeconfig files while they do not change. Fleets have a file with a context for every
// member: parsing all of it for every member takes longer than to talk to them.
type kubeconfigFiles struct {
	mu     sync.Mutex
	parsed map[string]*parsedKubeconfig
}

// parsedKubeconfig is the merged content of some files. Nobody changes the content.
type parsedKubeconfig struct {
	mu      sync.Mutex // held while the files are parsed, so that one of many members does it
	files   []fs.FileInfo
	at      time.Time
	content *clientcmdapi.Config
}

var kubeconfigs = kubeconfigFiles{parsed: map[string]*parsedKubeconfig{}}

// load returns the merged content of the files, and with an error the path of the file that it is about, or "" if it is about all of them.
func (k *kubeconfigFiles) load(paths []string) (content *clientcmdapi.Config, bad string, err error) {
	parsed := k.entry(strings.Join(paths, "\x00"))
	parsed.mu.Lock()
	defer parsed.mu.Unlock()
	// Looked at before they are read: a change in between is noticed the next time.
	files, at := stat(paths), time.Now()
	if parsed.content != nil && slices.EqualFunc(parsed.files, files, parsed.same) {
		return parsed.content, "", nil
	}
	// Every file by itself first: client-go passes over missing files in silence.
	for _, path := range paths {
		if err := checkFile(path, maxKubeconfig); err != nil {
			return nil, path, err
		}
		if _, err := clientcmd.LoadFromFile(path); err != nil {
			return nil, path, err
		}
	}
	if content, err = (&clientcmd.ClientConfigLoadingRules{Precedence: paths}).Load(); err != nil {
		return nil, "", err
	}
	parsed.files, parsed.at, parsed.content = files, at, content
	return content, "", nil
}

func (k *kubeconfigFiles) entry(key string) *parsedKubeconfig {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.parsed[key] == nil {
		k.parsed[key] = &parsedKubeconfig{}
	}
	return k.parsed[key]
}

// same tells whether a file is what it was when it was parsed.
func (p *parsedKubeconfig) same(then, now fs.FileInfo) bool {
	return then != nil && now != nil && os.SameFile(then, now) && then.Size() == now.Size() && then.ModTime().Equal(now.ModTime()) &&
		p.at.Sub(now.ModTime()) > settledAfter
}

// stat looks at the files; it has nil for one that cannot be looked at.
func stat(paths []string) []fs.FileInfo {
	out := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = info
		}
	}
	return out
}
