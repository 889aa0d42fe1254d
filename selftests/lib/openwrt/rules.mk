# SPDX-License-Identifier: GPL-2.0
#
# What the feed openwrt/ takes of OpenWrt's SDK, as far as it can be had without one:
# a package is prepared, compiled with the machine's compiler (modules: by a stand-in,
# kernel-make), and installed below $(OUT)/root. Checks that both ends of the
# conventions meet, not that they are OpenWrt's.

INCLUDE_DIR := $(TOPDIR)/include
INSTALL_DIR := install -d -m0755
INSTALL_BIN := install -m0755
CP := cp -fpR
TARGET_CC := gcc
TARGET_CPPFLAGS := -DOPENWRT
TARGET_CFLAGS := -Os -pipe -ffunction-sections
TARGET_LDFLAGS := -Wl,-z,now -Wl,-z,relro
PKG_BUILD_DIR = $(OUT)/build/$(PKG_NAME)-$(PKG_VERSION)
