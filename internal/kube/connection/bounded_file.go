package connection

import (
	"fmt"
	"os"
)

const (
	// maxKubeconfig is the maximum size of a kubeconfig file, in bytes. A file with certificates for 1,000 clusters has about 6 MiB.
	maxKubeconfig = 16 << 20
	// maxCredential is the maximum size of a file with certificates, a key or a token, in bytes.
	maxCredential = 1 << 20
)

// unboundedFileError is returned for a file that must not be read. A pipe or a device may never end, and a large file would fill the memory.
type unboundedFileError struct{ reason string }

func (e *unboundedFileError) Error() string { return e.reason }

// checkFile returns an *unboundedFileError for a file that must not be opened. limit is the maximum size in bytes. checkFile does not report other problems,
// such as a missing file: reading the file returns these errors.
func checkFile(path string, limit int64) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		switch {
		case !info.Mode().IsRegular():
			return &unboundedFileError{"is not a regular file"}
		case info.Size() > limit:
			return &unboundedFileError{fmt.Sprintf("has %d MiB, and at most %d MiB are read", info.Size()>>20, limit>>20)}
		}
	}
	return nil
}

// checkFiles checks the files that a kubeconfig entry names, before client-go reads the entry and opens them. field is the argument that the error is about.
// entry is the description of the kubeconfig entry in the message.
func (k *kubeconfig) checkFiles(field, entry string, paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := checkFile(path, maxCredential); err != nil {
			return k.errorf(field, "%s: the file %s %s.", entry, path, err)
		}
	}
	return nil
}
