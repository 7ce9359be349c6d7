// What initial values leave out, override and continue (C11 6.7.9p17, p19), and the flexible array
// members that GNU C gives their storage.
//
// run: --check assert,memory
// expect: all=SAFE
// run: -DWRONG
// expect: all=UNSAFE
#include <assert.h>
static int n;
static int f(void) { return ++n; }
static struct flexible { int n; int a[]; } x = { 2, { 4, 5 } };
static struct flexible bare = { 2, 4, 5, 6 };
static struct flexible filled = { .n = 3, 7, .n = 2 };
struct inner { int x, y; };
struct outer { struct inner s; int z; };
int main(void) {
#ifdef WRONG
 struct { int b[3]; int c; } wrong = { .b[1] = 2, 3 };
 assert(wrong.b[2] == 0 && wrong.c == 3);
#endif
 assert(sizeof x == 4 && x.a[0] == 4 && x.a[1] == 5);
 assert(bare.a[2] == 6 && filled.n == 2 && filled.a[0] == 7);
 struct outer whole = { .s = { 1, 2 }, .s = { .y = 5 } };
 assert(whole.s.x == 0 && whole.s.y == 5);
 struct outer part = { .s = { 1, 2 }, .s.y = 5 };
 assert(part.s.x == 1 && part.s.y == 5);
 int two[2][3] = { [0][1] = 5, 6, 7 };
 assert(two[0][1] == 5 && two[0][2] == 6 && two[1][0] == 7);
 struct{int x,y;} a[4]={[0 ... 2].x=1,2};
 assert(a[0].x==1&&a[0].y==0&&a[2].x==1&&a[2].y==2&&a[3].x==0);
 struct{int x,y;} b[4]={[0 ... 2]={5},6};
 assert(b[2].x==5&&b[3].x==6&&b[3].y==0);
 struct{int x,y;} c[4]={[0 ... 1]=7,8,9,10};
 assert(c[0].x==7&&c[0].y==0&&c[1].y==8&&c[2].x==9&&c[2].y==10);
 int d[3][3]={[0 ... 1][0 ... 1]=7,8,9};
 assert(d[0][1]==7&&d[0][2]==0&&d[1][2]==8&&d[2][0]==9);
 union{struct{int a,b;}s;char c;} u={.s={1,2},.c=5}; assert((u.s.a&255)==5);
 union{struct{int a,b;}s;char c;} v={.s.a=1,.s.b=3}; assert(v.s.a==1&&v.s.b==3);
 struct{union{struct{int a,b;}s;char c;};int q;} w={.s.a=1,.c=3,4}; assert((w.s.a&255)==3&&w.q==4);
 union{struct{int a,b;}s;int i[2];} other={.s={1,2},.i={3},.s.b=4}; assert(other.s.a==0&&other.s.b==4);
 int e[]={[3]=1,2,[0]=7}; assert(sizeof e==20&&e[4]==2&&e[0]==7);
 int g[3]={[0 ... 2]=f()}; assert(n==1&&g[2]==1);
 char h[][4]={"ab",[2]={"c"},[1][1]='x'}; assert(sizeof h==12&&h[1][1]=='x');
 char i[]={"abc"}; assert(sizeof i==4);
 char once[2][1]={{"q"},"r"}; assert(once[0][0]=='q'&&once[1][0]=='r');
 char twice[2][1]={"q",'r'}; assert(twice[0][0]=='q'&&twice[1][0]=='r');
 struct {char k[3]; int z;} m={.k[0]='q',5,6,7}; assert(m.k[2]==6&&m.z==7);
 struct {int p:3,q:5; int r;} bf={1,2,3,.q=4}; assert(bf.p==1&&bf.q==4&&bf.r==3);
 return 0;}
