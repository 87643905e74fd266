/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_STYLE_H
#define SLU_PAGE_STYLE_H

/* The page's style sheet, and the patterns by which its areas differ. */

extern const char slu_page_style[];
extern const char slu_page_patterns[]; /* an <svg> for the body */

#endif
