package connection

import (
	"fmt"
	"os"
)

const (
	// maxKubeconfig is the size of the largest kubeconfig file that is read, in bytes. A file with certificates for 1,000 clusters has about 6 MiB.
	maxKubeconfig = 16 << 20
	// maxCredential is the size of the largest file with certificates, a key or a token that is read.
	maxCredential = 1 << 20
)

// unboundedFileError is the reason why a file is not read: a pipe or a device may never end, and a large file would fill the memory.
type unboundedFileError struct{ reason string }

func (e *unboundedFileError) Error() string { return e.reason }

// checkFile returns an *unboundedFileError for a file that must not be opened. Other errors appear when the file is read.
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

// checkFiles checks the files that a kubeconfig entry names, because client-go opens them as soon as it reads the entry.
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
