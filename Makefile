# SPDX-License-Identifier: GPL-2.0
#
# Ramp: "make help" lists what there is.

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
DESTDIR	?=
STRIP	?= $(CROSS_COMPILE)strip

# Kbuild takes neither, and what is behind a blank would be another file to remove.
ifneq ($(words $(subst :, ,$(CURDIR))),1)
$(error ramp: nothing is built below '$(CURDIR)': a path must have no blank and no colon)
endif

export RAMP_CACHE

.DEFAULT_GOAL := all
.PHONY: all modules stripped modules_install plugins tc install uninstall deb clean unit \
	check check-kernels \
	check-cost check-docs check-mpolice-long check-mpolice-scale check-churn \
	check-machines check-codes check-gears check-watch check-orchestration check-packages \
	mutants fuzz fuzz-netlink lint check-debug bench demo \
	patches pictures help need-headers

help:
	@echo 'For a router:'
	@echo '  make            the modules, for the running kernel or KDIR=<headers>, and'
	@echo '                  plugins for the stock tc'
	@echo '                  FEATURES="rails codes" leaves peers and gears out, and so on'
	@echo '  make install    copies these and the man pages (DESTDIR=), builds nothing'
	@echo '  make uninstall  takes them away, for all kernels (DESTDIR=)'
	@echo '  make deb        Debian packages, in out/deb'
	@echo '  make tc         a patched tc, and the same as plugins for the stock tc'
	@echo '  make modules_install      the modules alone, by Kbuild, which signs them'
	@echo '                  if KDIR has a key'
	@echo '  make clean'
	@echo 'To see it and to test it, in virtual machines that it builds itself:'
	@echo '  make demo       what Ramp is for, with a picture'
	@echo '  make pictures   the pictures in the documentation, anew, from the demo'
	@echo '  make check      unit, tdc and network tests'
	@echo '  make check-kernels        each network test and all of tc on each kernel'
	@echo '  make check-debug          the tests on a kernel with all checkers, each'
	@echo '                  allocation failing once, everything coming and going'
	@echo '  make check-machines       on i386, on s390x, on kernels with PREEMPT_RT, and'
	@echo '                  an s390x and an x86 that slow each other down: an hour'
	@echo '  make check-docs the commands of all texts, in order and as written, on disks'
	@echo '                  with Debian 12, 13 and sid, too'
	@echo '  make check-cost instructions per packet and throughput, with their limits'
	@echo '  make bench      what it costs beside what else there is, with a table and a'
	@echo '                  picture (BENCH_ROUNDS=3 is shorter)'
	@echo '  make check-mpolice-long   two CPUs on one bucket, a minute'
	@echo '  make check-mpolice-scale  100,000 buckets and 1,000,000 actions'
	@echo '  make check-churn ports that come and go under load, a minute of each, and'
	@echo '                  everything at once, 10,000 rounds: hours'
	@echo '  make check-codes two boxes that slow each other down for a minute, and a'
	@echo '                  million frames at random'
	@echo '  make check-gears a hundred million packets through gears that change'
	@echo '  make check-watch          exporter, dashboard, pyroute2, YNL and bpftrace,'
	@echo '                  with the real tools'
	@echo '  make check-orchestration  days in six routers with OSPF, led by carbon intensity,'
	@echo '                  the tables of the paper beside a simulation, and 10,000 flows'
	@echo '                  that get their policies from a daemon: half an hour'
	@echo '  make check-packages       the Debian packages, on disks with Debian 12, 13 and'
	@echo '                  sid, which boot: 20 minutes'
	@echo '  make mutants    breaks laws and modules in hundreds of ways, one at a time,'
	@echo '                  each of which a test has to notice: an hour; make check has'
	@echo '                  a few of them'
	@echo '  make unit       the algorithms alone, in user space'
	@echo '  make fuzz       ten million inputs for each of them, two hours; what was'
	@echo '                  interrupted goes on'
	@echo '  make fuzz-netlink         a million configurations at random, under all'
	@echo '                  checkers, an hour or more'
	@echo '  make lint       checkpatch, W=1, sparse, kernel-doc, shellcheck, man pages'
	@echo '  make patches    patch series for netdev, in out/patches, each patch checked as'
	@echo '                  netdev does and booted; TREE= a kernel: two hours'

need-headers:
	@test -e $(KDIR)/Makefile || { \
	echo 'ramp: no kernel headers in $(KDIR)'; \
	echo 'ramp: install linux-headers-$(KVER), or name a folder: make KDIR=...'; \
	exit 1; }

all: modules plugins

modules: need-headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules
	@$(MAKE) --no-print-directory stripped

# What make install copies. What is for a debugger is twenty times as large as the rest,
# and stays in the modules here.
stripped:
	@rm -rf out/modules
	@mkdir -p out/modules
	@for module in *.ko; do \
		$(STRIP) --strip-debug -o out/modules/$$module $$module || exit; \
	done

modules_install: modules
	umask 022 && \
		$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install

plugins:
	iproute2-patch/build --plugins

tc:
	iproute2-patch/build

install:
	scripts/install "$(DESTDIR)"

uninstall:
	scripts/install --uninstall "$(DESTDIR)"

deb:
	scripts/deb

clean:
	if test -e $(KDIR)/Makefile; then \
		$(MAKE) -C $(KDIR) M=$(CURDIR) clean; fi
	$(MAKE) -C selftests/unit clean
	rm -rf out selftests/vm/out

unit:
	$(MAKE) -C selftests/unit check

check:
	selftests/check

check-kernels:
	selftests/check net-6.1 net-6.12 net-7.2 tdc-6.1 tdc-6.12 tdc-7.2 runner-all

check-debug:
	selftests/check debug-net debug-tdc debug-fail debug-churn debug-smp

check-cost:
	selftests/cost/run

check-machines:
	selftests/check machine-i386 machine-uml-i386 machine-s390x machine-link \
		machine-x86-rt machine-6.1-rt machine-6.12-rt

check-docs:
	selftests/lint/run rst spelling links man
	selftests/check docs texts

bench:
	selftests/bench/run

check-mpolice-long:
	selftests/vm/run -k uml -- selftests/net/long_mpolice_over.sh

check-mpolice-scale:
	RAMP_VM_MEM=3072 selftests/vm/run -k uml -- \
		'selftests/net/long_mpolice_scale.sh && selftests/net/long_mpolice_churn.sh'

check-churn:
	for kernel in uml 6.1 6.12 7.2; do \
		selftests/vm/run -k $$kernel -- \
			selftests/net/long_spread_churn.sh || exit; \
	done
	selftests/slices churn

check-codes:
	RAMP_VM_TIMEOUT=1800 selftests/vm/run -k uml -- \
		'selftests/net/long_feedback.sh && selftests/net/long_obey.sh'

check-watch:
	selftests/check watch

mutants:
	selftests/mutants -j $$(nproc)

fuzz:
	selftests/slices fuzz

fuzz-netlink:
	selftests/slices fuzz-netlink

check-gears:
	RAMP_VM_TIMEOUT=3600 selftests/vm/run -k uml -- \
		selftests/net/long_gear.sh

check-orchestration:
	selftests/orchestration/run

check-packages:
	selftests/packages/run

lint:
	selftests/lint/run

patches:
	upstream/run

demo:
	selftests/demo/run

# The demo has a clock of its own: two runs draw the same, but for a few microseconds of the
# delays. The picture of the bench is copied if `make bench` made one.
pictures: demo
	for name in ramp gears latency; do \
		sed -e 's/[[:blank:]]*$$//' \
			-e '1a <!-- SPDX-License-Identifier: GPL-2.0 -->' \
			out/demo/$$name.svg >Documentation/$$name.svg || exit; \
	done
	if test -e out/bench/bench.svg; then cp out/bench/bench.svg Documentation/; \
	else echo 'bench.svg stays as it is: `make bench` draws it'; fi
