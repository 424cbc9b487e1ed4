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

// minSettledAge is the minimum age of a file, when it was read, at which an equal modification time and size prove that the file is unchanged. File system
// clocks are coarse, and a credential helper may write a file twice in quick succession.
const minSettledAge = 2 * time.Second

// kubeconfigFiles caches the parsed content of kubeconfig files until they change. In a fleet, one file often has a context for every member,
// and parsing it for every member would take longer than the requests.
type kubeconfigFiles struct {
	mu     sync.Mutex
	parsed map[string]*parsedKubeconfig
}

// The content of a parsedKubeconfig is immutable.
type parsedKubeconfig struct {
	mu      sync.Mutex // held during parsing, so that the files are parsed once for all members
	files   []fs.FileInfo
	at      time.Time
	content *clientcmdapi.Config
}

var kubeconfigs = kubeconfigFiles{parsed: map[string]*parsedKubeconfig{}}

// load returns the merged content of the files. If it returns an error, bad is the file that caused it, or "" if the error is not about one file.
func (k *kubeconfigFiles) load(paths []string) (content *clientcmdapi.Config, bad string, err error) {
	parsed := k.entry(strings.Join(paths, "\x00"))
	parsed.mu.Lock()
	defer parsed.mu.Unlock()
	// Call stat before the files are read, so that the next call of load detects a change during the read.
	files, at := stat(paths), time.Now()
	if parsed.content != nil && slices.EqualFunc(parsed.files, files, parsed.isUnchanged) {
		return parsed.content, "", nil
	}
	// Check each file separately first, because client-go silently ignores missing files.
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

func (p *parsedKubeconfig) isUnchanged(then, now fs.FileInfo) bool {
	return then != nil && now != nil && os.SameFile(then, now) && then.Size() == now.Size() && then.ModTime().Equal(now.ModTime()) &&
		p.at.Sub(now.ModTime()) > minSettledAge
}

func stat(paths []string) []fs.FileInfo {
	out := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = info
		}
	}
	return out
}
