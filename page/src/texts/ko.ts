import type { Catalogue } from "../texts.js";
import { en } from "./en.js";
import { viewsKo } from "./views/ko.js";

export const ko: Catalogue = {
  ...en,
  ...viewsKo,
  // --- the page ---
  page_title: "canfetch: robots.txt 테스트",
  views_label: "보기",
  view_access: "접근",
  view_usage: "이용",
  view_rules: "페이지 규칙",
  view_compare: "비교",
  language_label: "언어",
  theme_system: "테마: 시스템 설정",
  theme_light: "테마: 밝게",
  theme_dark: "테마: 어둡게",
  link_button: "링크 복사",
  link_copied: "링크를 복사했습니다. 파일은 링크에 들어 있으며, 아무것도 전송되지 않았습니다.",
  close_button: "닫기",
  cancel_button: "취소",
  view_failed: "이 보기를 불러올 수 없습니다. 페이지를 새로 고침해 다시 시도하세요.",
};
