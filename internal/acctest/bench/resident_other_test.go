//go:build !linux

package bench_test

import "os"

// maxResident would be in other units elsewhere, or in none.
func maxResident(*os.ProcessState) int64 { return 0 }
