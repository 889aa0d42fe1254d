# SPDX-License-Identifier: GPL-2.0

KERNEL_MAKE = $(TOPDIR)/kernel-make
AutoProbe = $(1)

define KernelPackage
$(eval $(call KernelPackage/$(1)))
$(eval Package/kmod-$(1)/install = $(INSTALL_DIR) $$(1)/lib/modules && $(CP) $(FILES) $$(1)/lib/modules/)
$(call BuildPackage,kmod-$(1))
endef
